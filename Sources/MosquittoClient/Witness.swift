import CMosquitto
import Glibc

/// A second session that does nothing but live; see ``ClashWatch``. Used on the client's thread only.
final class Witness {
    private let session: MosquittoSession
    private var isConnected = false
    private var lastTick = ContinuousClock.now

    /// - Returns: nil when it can't even begin; then there is none.
    init?(beside configuration: MosquittoConfiguration, address: String) {
        var own = configuration
        own.clientID = "\(configuration.clientID.prefix(40))-witness-\(UInt32.random(in: 0...UInt32.max))"
        own.will = nil
        own.subscriptions = []
        guard let session = try? MosquittoSession(own), (try? session.connect(to: address)) != nil else { return nil }
        self.session = session
    }

    var descriptor: Int32? { session.descriptor }
    var interest: Int16 { session.interest }
    var state: ClashWatch.Witness { isConnected ? .alive : .none }

    /// - Returns: false when it is dead.
    func serve(_ happened: Int16) -> Bool {
        do throws(MosquittoFailure) {
            try session.serve(happened)
            if ContinuousClock.now - lastTick >= .seconds(1) {
                lastTick = .now
                try session.tick()
            }
        } catch {
            return false
        }
        for report in session.takeReports() {
            switch report {
            case .connected(let reason, _) where reason == 0: isConnected = true
            case .connected, .disconnected: return false
            // None of its business.
            case .subscribed, .subscriptionRefused, .message, .acknowledged, .complaint: continue
            }
        }
        return session.descriptor != nil
    }

    /// A clean end.
    func leave() {
        if isConnected { session.disconnect() }
    }
}
