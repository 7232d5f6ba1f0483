/// Which feeds run, and how. All of them are off unless somebody wants them.
public struct FeedsConfiguration: Equatable, Sendable {
    public struct RDZ: Equatable, Sendable {
        public var isEnabled = false
        public var address = "::"
        public var port = 14_570
    }

    public struct Horus: Equatable, Sendable {
        public var isEnabled = false
        /// Who gets the sonde.
        public var targets = [Endpoint(host: "127.0.0.1", port: 55_673)]
        /// Who gets the car.
        public var car: Endpoint? = Endpoint(host: "127.0.0.1", port: 55_672)
        /// Where others tell us the car's position.
        public var listen: Endpoint?
    }

    public struct GDL90: Equatable, Sendable {
        public var isEnabled = false
        public var targets: [Endpoint] = []
        /// Those who announce themselves get it, too.
        public var discovers = true
        /// Where ForeFlight and others announce themselves, UDP.
        public static let announcements = Endpoint(host: "0.0.0.0", port: 63_093)
        /// The car is told as ownship.
        public var tellsOwnship = false
        /// A sonde above is not shown; nil shows all of them.
        public var highestMetres: Double?
    }

    public struct Rocket: Equatable, Sendable {
        public var isEnabled = false
        public var address = "::"
        public var port = 5000
        /// Recorded flights that are shown.
        public var flights = 7
    }

    public var rdz = RDZ()
    public var horus = Horus()
    public var gdl90 = GDL90()
    public var rocket = Rocket()

    public init() {}

    /// Any of them is on.
    public var isAny: Bool { rdz.isEnabled || horus.isEnabled || gdl90.isEnabled || rocket.isEnabled }
}
