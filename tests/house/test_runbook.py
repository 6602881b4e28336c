"""Law: each alert has a page of the runbook, and each page an alert."""

import pytest
import yaml

from tests.support.source import ROOT

PAGES = ROOT / "docs" / "runbook"


@pytest.mark.skipif(not PAGES.is_dir(), reason="the runbook is not written yet")
def test_each_alert_has_its_page_and_each_page_its_alert() -> None:
    groups = yaml.safe_load((ROOT / "deploy" / "prometheus" / "rules" / "alerts.yml").read_text())["groups"]
    alerts = {rule["alert"] for group in groups for rule in group["rules"]}
    assert {page.stem for page in PAGES.glob("*.md")} - {"README"} == alerts
