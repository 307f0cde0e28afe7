"""kipflow's code that runs on Spark: schemas, the mbox data source, transforms."""
