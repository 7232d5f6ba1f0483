extension SondeType {
    /// What the gateway knows of one type of radiosonde. Commands, page, Home Assistant, SondeHub, simulator and feeds
    /// take it from here.
    struct Row: Sendable {
        let type: SondeType
        /// The words of the receiver's TYPE field. The first is the type's name.
        let words: [String]
        /// The `tipo` number that tunes the receiver to it; nil if the receiver has none.
        var tuneCode: Int?
        /// The types of one family may be one sonde: two decoders accept the same signal.
        var family: String
        /// The beginnings of other programs' names for it, in capitals.
        var otherNames: [String]
        var serial = SondeSerial.Form.asWritten
        /// A serial as the receiver writes it, with # for each digit.
        var example: String
        /// WMO's codes (table 3685) in SondeHub's list of launch sites.
        var codes: [String] = []
        /// SondeHub's name.
        var sondeHubName: String
        /// SondeHub's name is only the beginning: `DFM09`.
        var hasSubtypes = false
        /// Its frames hold the time.
        var isTimed = false
        /// It reports GPS time, without leap seconds.
        var reportsGPSTime = false
        /// Some firmware (``Firmware``) sends its horizontal speed in m/s.
        var oldFirmwareSendsMetresPerSecond = false
        /// Stands before the serial in names of radiosonde_auto_rx.
        var callSignPrefix = ""
        /// Where its balloons usually burst, metres above sea level: the median of 12 recorded RS41, and of 117 others.
        var usualBurstMetres = SondeType.usualBurstMetresOfOthers
        /// How long its batteries last at least, minutes from the launch; nil if the maker does not say. RS41: Vaisala's
        /// data sheet B211321EN, "> 240 min". DFM-17: about 240 minutes by Graw's product page. No figure of Meteomodem's
        /// was found for M10 and M20. A voltage as SondeHub's `batt` gives no time: of an RS41 it sinks in the cold and is
        /// back at 3.0 V after hours on the ground (github.com/projecthorus/sondehub-tracker, issue 114).
        var batteryMinutes: Int?
    }

    /// The types that the receiver names, in the order of their `tipo` numbers.
    static let rows = [
        Row(
            type: .rs41, words: ["RS41"], tuneCode: 1, family: "RS41", otherNames: ["RS41"], serial: .plain,
            example: "V#######", codes: ["23", "24", "25", "41", "42"], sondeHubName: "RS41", isTimed: true,
            reportsGPSTime: true, usualBurstMetres: 33_000, batteryMinutes: 240),
        Row(
            type: .m20, words: ["M20"], tuneCode: 2, family: "M", otherNames: ["M20", "MXX"], serial: .dashed,
            example: "#########", codes: ["63"], sondeHubName: "M20", isTimed: true, reportsGPSTime: true,
            oldFirmwareSendsMetresPerSecond: true, callSignPrefix: "M20-"),
        Row(
            type: .m10, words: ["M10"], tuneCode: 3, family: "M", otherNames: ["M10"], serial: .dashed,
            example: "#########", codes: ["77"], sondeHubName: "M10", oldFirmwareSendsMetresPerSecond: true,
            callSignPrefix: "M10-"),
        Row(
            type: .pilot, words: ["PILOT", "PIL"], tuneCode: 4, family: "PILOT",
            otherNames: ["PILOT", "PS15", "PS-15"], example: "P#######", sondeHubName: "PILOT"),
        Row(
            type: .dfm, words: ["DFM"], tuneCode: 5, family: "DFM", otherNames: ["DFM"], serial: .digits,
            example: "D17-########", codes: ["17", "54"], sondeHubName: "DFM", hasSubtypes: true, isTimed: true,
            callSignPrefix: "DFM-", batteryMinutes: 240),
        Row(
            type: .rd41, words: ["RD41"], tuneCode: 6, family: "RS41", otherNames: ["RD41"], serial: .plain,
            example: "V#######", sondeHubName: "RD41"),
        Row(
            type: .c50, words: ["C50"], family: "C50", otherNames: ["C50", "SRS-C50"], example: "C50-#####",
            sondeHubName: "C50"),
        Row(
            type: .imet4, words: ["IMET4"], family: "IMET", otherNames: ["IMET"], example: "IMET4-########",
            sondeHubName: "iMet-4", reportsGPSTime: true),
    ]

    private static let rowsByType = Dictionary(uniqueKeysWithValues: rows.map { ($0.type, $0) })
    private static let typesByWord = Dictionary(
        uniqueKeysWithValues: rows.flatMap { row in row.words.map { ($0, row.type) } })
    private static let typesByCode = Dictionary(
        uniqueKeysWithValues: rows.flatMap { row in row.codes.map { ($0, row.type) } })

    /// Nil for a type that is not in the table.
    var row: Row? { Self.rowsByType[self] }

    static func named(_ word: String) -> SondeType? { typesByWord[word] }

    /// The type that WMO's code stands for in SondeHub's list of launch sites; nil if the receiver can't be tuned to it.
    public init?(wmoCode code: String) {
        guard let type = Self.typesByCode[code] else { return nil }
        self = type
    }

    /// Reads SondeHub's names: `RS41`, `M20`, `DFM09`, `iMet-4` …
    public init(sondeHubName name: String) {
        let row = Self.rows.first {
            $0.sondeHubName == name || $0.hasSubtypes && name.hasPrefix($0.sondeHubName)
        }
        self = row?.type ?? SondeType(name: name)
    }

    /// The names of the types in the table.
    public static let names = rows.map(\.type.name)
    /// The beginnings of SondeHub's names of the types that report GPS time; of those whose frames hold the time.
    public static let namesWithGPSTime = rows.filter(\.reportsGPSTime).map(\.sondeHubName)
    public static let namesWithTime = rows.filter(\.isTimed).map(\.sondeHubName)

    private static let usualBurstMetresOfOthers = 30_000.0

    /// Where balloons with this type usually burst, metres above sea level.
    public static func usualBurstMetres(of type: SondeType?) -> Double {
        type?.row?.usualBurstMetres ?? usualBurstMetresOfOthers
    }

    /// How long its batteries last at least, minutes from the launch; nil if the maker does not say.
    public var batteryMinutes: Int? { row?.batteryMinutes }

    /// A serial as the receiver writes it, with # for each digit.
    public var exampleSerial: String { row?.example ?? "X#######" }

    /// Stands before the serial in names of radiosonde_auto_rx.
    public var callSignPrefix: String { row?.callSignPrefix ?? "" }

    /// Whether some firmware (``Firmware``) sends the horizontal speed in m/s, and not in km/h.
    public var oldFirmwareSendsMetresPerSecond: Bool { row?.oldFirmwareSendsMetresPerSecond ?? false }
}
