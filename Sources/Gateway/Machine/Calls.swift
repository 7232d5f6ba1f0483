public import FlightMath
public import GatewayReports
public import ReceiverProtocol

/// Identifies a call to a network service.
public struct CallID: Hashable, Sendable {
    public let value: UInt64

    public init(_ value: UInt64) {
        self.value = value
    }
}

/// A call to a network service. ``GatewayEvent/answered(_:_:)`` brings its answers, with its id.
public enum Request: Equatable, Sendable {
    /// One ``Answer/sondes(_:)`` or ``Answer/failed(_:)``.
    case sondes(SondeHubQuery)
    /// Any number of ``Answer/trackPart(_:)``, then ``Answer/trackEnd`` or ``Answer/failed(_:)``.
    case track(SondeSerial, TrackDuration)
    /// One ``Answer/prediction(_:)`` or ``Answer/failed(_:)``.
    case tawhiri(TawhiriQuery)
    /// SondeHub's own prediction. Answered like `tawhiri`.
    case sondeHubPrediction(SondeSerial)
    /// One ``Answer/terrain(_:)``.
    case terrain(around: Coordinate)
    /// The heights of the ground along lines. One ``Answer/terrain(_:)``.
    case groundAlong([GroundLine])
    /// SondeHub's predictions of all sondes within a radius, metres. One ``Answer/landings(_:)`` or
    /// ``Answer/failed(_:)``.
    case landings(Coordinate, radiusMetres: Double)
    /// All launch sites. One ``Answer/sites(_:)`` or ``Answer/failed(_:)``.
    case sites
    /// Reports of recovery. One ``Answer/recoveries(_:)`` or ``Answer/failed(_:)``.
    case recoveries(RecoveryQuery)
    /// One ``Answer/recoveryTaken`` or ``Answer/failed(_:)``.
    case reportRecovery(Recovery)
    /// One ``Answer/route(_:)`` or ``Answer/failed(_:)``.
    case route(RouteQuery)
    /// One ``Answer/carShared`` or ``Answer/failed(_:)``.
    case shareCar(SharedCar)
    /// The other crews near the places. One ``Answer/crews(_:)`` or ``Answer/failed(_:)``.
    case crews(near: [Coordinate])
    /// SondeHub's live frames of one sonde, under SondeHub's name for it. Any number of ``Answer/stream(_:)``, then
    /// ``Answer/failed(_:)``: every connection ends some time.
    case stream(SondeSerial)
}

/// An answer to a ``Request``.
public enum Answer: Equatable, Sendable {
    case sondes(SondeHubAnswer)
    case trackPart(SondeHubAnswer)
    /// The track is complete.
    case trackEnd
    /// Nil if there is none.
    case prediction(OnlinePrediction?)
    case terrain(TerrainAnswer)
    case landings([SondeLanding])
    case sites([LaunchSite])
    case recoveries([Recovery])
    /// SondeHub has accepted the report.
    case recoveryTaken
    case route(RouteAnswer)
    /// SondeHub has accepted the car's position.
    case carShared
    case stream(SondeHubStreamNews)
    case crews([CrewPosition])
    case failed(OnlineServiceError)

    /// Whether this is the last answer to its call.
    public var isLast: Bool {
        if case .trackPart = self { return false }
        if case .stream = self { return false }
        return true
    }
}

/// What answers the requests.
public struct CallSources: Sendable {
    public var sondeHub: any SondeHubSource & PredictionSource
    /// Nil if no route server is configured.
    public var routes: (any RouteSource)?
    /// Nil if the crew brings no heights.
    public var terrain: (any TerrainSource)?

    public init(
        sondeHub: any SondeHubSource & PredictionSource, routes: (any RouteSource)? = nil,
        terrain: (any TerrainSource)? = nil
    ) {
        self.sondeHub = sondeHub
        self.routes = routes
        self.terrain = terrain
    }

    /// Releases the connections of all sources.
    public func close() async {
        await sondeHub.close()
        await routes?.close()
    }

    /// Calls `give` with each answer to a request, in order.
    public func answer(_ request: Request, _ give: (Answer) async -> Void) async {
        do throws(OnlineServiceError) {
            switch request {
            case .sondes(let query): await give(.sondes(try await sondeHub.sondes(query)))
            case .track(let serial, let duration):
                try await sondeHub.trackPieces(of: serial, last: duration) { await give(.trackPart($0)) }
                await give(.trackEnd)
            case .tawhiri(let query): await give(.prediction(try await sondeHub.prediction(for: query)))
            case .sondeHubPrediction(let serial):
                await give(.prediction(try await sondeHub.sondeHubPrediction(of: serial)))
            case .landings(let place, let radius):
                await give(.landings(try await sondeHub.landings(around: place, radiusMetres: radius)))
            case .sites: await give(.sites(try await sondeHub.sites()))
            case .recoveries(let query): await give(.recoveries(try await sondeHub.recoveries(query)))
            case .reportRecovery(let recovery):
                try await sondeHub.report(recovery)
                await give(.recoveryTaken)
            case .shareCar(let car):
                try await sondeHub.share(car)
                await give(.carShared)
            case .crews(let places): await give(.crews(try await sondeHub.crews(near: places)))
            case .stream(let serial): try await sondeHub.stream(of: serial) { await give(.stream($0)) }
            case .terrain(let place): await give(.terrain(await terrain?.terrain(around: place) ?? TerrainAnswer()))
            case .groundAlong(let lines):
                await give(.terrain(await terrain?.heights(along: lines) ?? TerrainAnswer()))
            case .route(let query):
                guard let routes else { throw OnlineServiceError(.unreachable, "no route server is configured") }
                await give(.route(try await routes.route(query)))
            }
        } catch {
            await give(.failed(error))
        }
    }
}

/// An answer with the id of its call. The errand that made the call takes it (``Errand/take(_:_:)``).
struct Reply: Sendable {
    let id: CallID
    let answer: Answer
}

/// The open calls. An answer to a call that was cancelled or has ended is dropped here.
struct Calls: Equatable, Sendable {
    private var issued: UInt64 = 0
    private var open: Set<CallID> = []

    /// Registers a call.
    mutating func begin() -> CallID {
        issued += 1
        let id = CallID(issued)
        open.insert(id)
        return id
    }

    /// - Returns: whether a part waits for the answer.
    mutating func receive(_ reply: Reply) -> Bool {
        reply.answer.isLast ? open.remove(reply.id) != nil : open.contains(reply.id)
    }

    /// - Returns: false if the call is not open.
    mutating func cancel(_ id: CallID) -> Bool { open.remove(id) != nil }
}
