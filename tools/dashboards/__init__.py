"""The Grafana dashboards: what they show (`boards`), their files (`write`), and pictures of them from a Prometheus (`draw`)."""
