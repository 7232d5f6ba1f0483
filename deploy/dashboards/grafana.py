#!/usr/bin/env python3
"""Makes grafana.json, the dashboard over the database that telegraf.conf fills.

It needs Grafana's own builders: pip install 'grafana-foundation-sdk==1769699998!10.1.0'
"""
import pathlib

from grafana_foundation_sdk.builders import dashboard, geomap, stat, timeseries
from grafana_foundation_sdk.cog import builder, encoder, variants
from grafana_foundation_sdk.models.dashboard import DataSourceRef


class Query(variants.Dataquery):
    """A query in InfluxQL; the SDK has no type for InfluxDB's."""

    def __init__(self, ref: str, text: str, form: str):
        self.ref, self.text, self.form = ref, text, form

    def to_json(self):
        return {"refId": self.ref, "query": self.text, "rawQuery": True, "resultFormat": self.form}


class QueryBuilder(builder.Builder[Query]):
    def __init__(self, *arguments):
        self.query = Query(*arguments)

    def build(self) -> Query:
        return self.query


source = DataSourceRef(type_val="influxdb", uid="${source}")


def series(measurement: str, *fields: str):
    """A query for each field, its mean over the interval."""
    return [
        QueryBuilder(
            chr(ord("A") + number),
            f'SELECT mean("{field}") AS "{field}" FROM "{measurement}" WHERE $timeFilter '
            # The chase is of the car, and names no sonde.
            "GROUP BY time($__interval)" + ("" if measurement == "chase" else ', "serial"') + " fill(none)",
            "time_series",
        )
        for number, field in enumerate(fields)
    ]


def graph(title: str, unit: str, measurement: str, *fields: str):
    panel = timeseries.Panel().title(title).unit(unit).datasource(source).span(12).height(8)
    for query in series(measurement, *fields):
        panel = panel.with_target(query)
    return panel


def number(title: str, unit: str, measurement: str, field: str):
    text = f'SELECT last("{field}") AS "{field}" FROM "{measurement}" WHERE $timeFilter'
    panel = stat.Panel().title(title).unit(unit).datasource(source).span(6).height(4)
    return panel.with_target(QueryBuilder("A", text, "time_series"))


places = (
    'SELECT "latitude", "longitude", "altitude_m" FROM "position" WHERE $timeFilter ORDER BY time DESC LIMIT 2000'
)
board = (
    dashboard.Dashboard("Radiosonde")
    .uid("sondygo2mqtt")
    .tags(["sondygo2mqtt"])
    .refresh("10s")
    .time("now-3h", "now")
    .with_variable(dashboard.DatasourceVariable("source").label("InfluxDB").type("influxdb"))
    .with_panel(number("Altitude", "lengthm", "position", "altitude_m"))
    .with_panel(number("Lands in", "s", "landing", "landing_in_s"))
    .with_panel(number("To the landing point", "lengthm", "chase", "landing_distance_m"))
    .with_panel(number("Early", "s", "chase", "margin_s"))
    .with_panel(
        geomap.Panel().title("Track").datasource(source).span(12).height(16)
        .with_target(QueryBuilder("A", places, "table"))
    )
    .with_panel(graph("Altitude", "lengthm", "position", "altitude_m"))
    .with_panel(graph("Vertical speed", "velocityms", "position", "vertical_speed_mps"))
    .with_panel(graph("Signal", "dBm", "radio", "rssi_dbm"))
    .with_panel(graph("Distances", "lengthm", "chase", "sonde_distance_m", "landing_distance_m"))
    .with_panel(graph("Error radius", "lengthm", "landing", "error_radius_50_m", "error_radius_90_m"))
    .with_panel(graph("Receiver battery", "percent", "radio", "battery_pct"))
)
text = encoder.JSONEncoder(sort_keys=True, indent=2).encode(board.build())
pathlib.Path(__file__).with_name("grafana.json").write_text(text + "\n")
