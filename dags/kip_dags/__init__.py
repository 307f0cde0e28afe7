"""Shared code of the DAG files: defaults, assets, access to the application's parts, Spark tasks.

Airflow puts the DAGs folder on the import path, so these are `kip_dags.…` in every DAG file.
"""
