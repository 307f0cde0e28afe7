"""What the DAG files share: their defaults, assets, the way to the application's parts, Spark's tasks.

Airflow puts the DAGs folder on the import path, so these are `kip_dags.…` in every DAG file.
"""
