"""Publish the public site to the configured folder or bucket.

Only changed files are copied, and only files that this DAG copied are removed. Without the key
`site.publish_to` in the community's file this DAG does not exist; with `KIPFLOW_DRY_RUN=1` it copies nothing.

Runs after new history, and every hour for votes whose period ended.
"""

from __future__ import annotations

from airflow.sdk import AssetOrTimeSchedule, ObjectStoragePath, dag, task
from airflow.sdk.exceptions import AirflowSkipException
from kip_dags.defaults import TRANSITIONS, describe_dag, every
from kip_dags.parts import open_parts

from kipflow.adapters.sitefiles import Place, sync_place
from kipflow.config.loading import load_community
from kipflow.config.settings import read_settings
from kipflow.web.site.pages import Site, build_site
from kipflow.wiring import find_ticket_links


@dag(
    dag_id="kip_publish_site",
    schedule=AssetOrTimeSchedule(timetable=every("20 * * * *"), assets=TRANSITIONS),
    **describe_dag(__doc__, "effects", "site"),
)
def kip_publish_site() -> None:
    @task
    def copy_changed_files() -> dict[str, int]:
        """Build the site, and copy the files that changed since the last copy."""
        parts = open_parts()
        community = parts.community
        if community.site is None:
            raise AirflowSkipException(f"community {community.name} publishes no site")
        if not parts.settings.sends:
            raise AirflowSkipException("dry-run (KIPFLOW_DRY_RUN): nothing is copied; `kipflow site OUT/` shows it")
        about = Site(community=community.name, title=community.title, tickets=find_ticket_links(community))
        bucket = Place(ObjectStoragePath(community.site.publish_to))
        done = sync_place(bucket, build_site(parts.store, about, parts.clock()))
        return {"written": done.written, "unchanged": done.unchanged, "removed": done.removed}

    copy_changed_files()


if load_community(read_settings().community).site is not None:
    kip_publish_site()
