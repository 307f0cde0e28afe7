# One image for Airflow's programs and for Spark's: tasks and executors run the same code.
FROM python:3.12-slim
RUN useradd --create-home --uid 50000 kipflow && mkdir /data && chown kipflow /data
WORKDIR /opt/kipflow
COPY requirements.txt .
RUN pip install --no-cache-dir --no-deps --require-hashes -r requirements.txt
COPY . .
# no Java here: kipflow prepares the runtime that the packages bring
RUN pip install --no-cache-dir --no-deps --no-build-isolation -e .
USER kipflow
ENV KIPFLOW_HOME=/data AIRFLOW_HOME=/data/airflow \
    AIRFLOW__CORE__DAGS_FOLDER=/opt/kipflow/dags AIRFLOW__CORE__PLUGINS_FOLDER=/opt/kipflow/plugins
