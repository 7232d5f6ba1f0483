import FlightMath
import GRDB
import Gateway
import GatewayReports
import ReceiverProtocol

// How sondes were heard.

extension FlightStore {
    /// The most samples of a flight: a day.
    static let mostSamples = 86_400

    /// Whole numbers take a third of the bytes: tenths of dBm, of degrees and of the weather's units, kHz, metres.
    static let samples = """
        CREATE TABLE sample (
            flight INTEGER NOT NULL REFERENCES flight ON DELETE CASCADE, at INTEGER NOT NULL, source TEXT NOT NULL,
            frequency_khz INTEGER, rssi_tenths INTEGER, afc_hz INTEGER, receiver_mv INTEGER, azimuth_tenths INTEGER,
            distance_m INTEGER, temperature_tenths INTEGER, humidity_tenths INTEGER, pressure_tenths INTEGER,
            PRIMARY KEY (flight, at)
        ) STRICT, WITHOUT ROWID;
        """

    static let sampleRows = FlightRows(
        table: "sample",
        columns: """
            at, source, frequency_khz, rssi_tenths, afc_hz, receiver_mv, azimuth_tenths, distance_m, temperature_tenths,
            humidity_tenths, pressure_tenths
            """, name: "samples"
    ) { try HeardSample($0) }

    static func record(
        _ sample: HeardSample, in flight: StoredFlight, _ database: Database, _ counts: inout RowCounts
    ) throws {
        let time = sample.time.millisecondsSince1970
        guard Plausible.times.contains(time), time - flight.lastAt < flightGap else { return }
        func whole(_ value: Double?, _ factor: Double) -> Int64? {
            value.flatMap { Int64(exactly: ($0 * factor).rounded()) }
        }
        try counts.insert(
            into: "sample", of: flight, most: mostSamples, database,
            sql: """
                INSERT OR IGNORE INTO sample (flight, \(sampleRows.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            [
                flight.id, time, sample.source.rawValue, whole(sample.frequencyMHz, 1000), whole(sample.rssiDBm, 10),
                sample.afcHz, sample.receiverMillivolts, whole(sample.view?.azimuthDegrees, 10),
                whole(sample.view?.distanceMetres, 1), whole(sample.temperatureCelsius, 10),
                whole(sample.humidityPercent, 10), whole(sample.pressureHectopascal, 10),
            ])
    }

    /// The samples of whole seconds since 1970, by time.
    static func samples(
        _ database: Database, ofFlight id: Int64, seconds: ClosedRange<Int64>, faults: RowFaults
    ) throws -> [HeardSample] {
        try faults.values(
            sampleRows, ofFlight: id, database, where: "at BETWEEN ? AND ?",
            [Self.milliseconds(seconds.lowerBound), Self.milliseconds(seconds.upperBound, and: 999)])
    }

    /// - Returns: the greatest number for a time that no clock shows.
    private static func milliseconds(_ second: Int64, and rest: Int64 = 0) -> Int64 {
        let (whole, overflow) = second.multipliedReportingOverflow(by: 1000)
        return overflow ? (second < 0 ? .min : .max) : whole.addingReportingOverflow(rest).partialValue
    }

    /// Nearer than this the crew stands beside the sonde: that tells nothing of the reach, metres.
    private static let nearMetres = 1000

    /// Empty for a flight without samples, and for one whose samples can't all be read.
    static func coverage(_ database: Database, ofFlight id: Int64, faults: RowFaults) throws -> HeardCoverage {
        let bands = HeardCoverage.bandsKilometres.map { "(distance_m >= \($0 * 1000))" }.joined(separator: " + ")
        let count = HeardCoverage.directions.count
        let rows = try faults.readable("samples") {
            try Row.fetchAll(
                database,
                sql: """
                    SELECT ((azimuth_tenths * \(count) + 1800) / 3600) % \(count) AS direction, \(bands) AS band,
                        count(*), avg(rssi_tenths) / 10, max(distance_m) + 0.0
                    FROM sample WHERE flight = ? AND source = 'ble' AND rssi_tenths BETWEEN -2000 AND 0
                        AND azimuth_tenths BETWEEN 0 AND 3600 AND distance_m BETWEEN \(nearMetres) AND 2000000
                    GROUP BY direction, band ORDER BY direction, band
                    """, arguments: [id])
        }
        return HeardCoverage(
            cells: try (rows ?? []).map { row in
                HeardCoverage.Cell(
                    direction: Int(try row.integer(0, "direction", in: 0...Int64(count - 1))),
                    band: Int(try row.integer(1, "band", in: 0...Int64(HeardCoverage.bandsKilometres.count))),
                    samples: Int(clamping: try row.integer(2, "number", in: 0 ... .max)),
                    meanRSSIDBm: try row.real(3, "RSSI", in: -200...0),
                    farthestMetres: try row.real(4, "distance", in: 0...2_000_000))
            })
    }
}

extension HeardSample {
    /// - Parameter row: time, source, frequency, RSSI, AFC, battery, azimuth, distance, temperature, humidity, pressure.
    fileprivate init(_ row: Row) throws {
        let source = try row.text(1, "source")
        guard let source = TelemetrySource(rawValue: source) else {
            throw Damage(description: "a source can't be \(source)")
        }
        func whole(_ column: Int, _ name: String, in range: ClosedRange<Int64>) throws -> Int64? {
            row.isNull(column) ? nil : try row.integer(column, name, in: range)
        }
        func tenths(_ column: Int, _ name: String, in range: ClosedRange<Int64>) throws -> Double? {
            try whole(column, name, in: range).map { Double($0) / 10 }
        }
        self.init(time: try row.time(0, "time"), source: source)
        frequencyMHz = try whole(2, "frequency", in: 0...3_000_000).map { Double($0) / 1000 }
        rssiDBm = try tenths(3, "RSSI", in: -3000...1000)
        afcHz = try whole(4, "AFC", in: -1_000_000...1_000_000).map { Int($0) }
        receiverMillivolts = try whole(5, "voltage", in: 0...100_000).map { Int($0) }
        if let azimuth = try tenths(6, "azimuth", in: 0...3600),
            let distance = try whole(7, "distance", in: 0...30_000_000)
        {
            view = View(azimuthDegrees: azimuth, distanceMetres: Double(distance))
        }
        temperatureCelsius = try tenths(8, "temperature", in: -2000...2000)
        humidityPercent = try tenths(9, "humidity", in: -1000...2000)
        pressureHectopascal = try tenths(10, "pressure", in: 0...20_000)
    }
}
