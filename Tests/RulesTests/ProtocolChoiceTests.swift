import Gateway
import Testing

@testable import MosquittoClient

@Suite struct ProtocolChoiceTests {
    private enum Step {
        case failed(ProtocolChoice.Failure)
        case accepted
    }

    /// The results of consecutive attempts, and the versions that they use.
    @Test(
        arguments: [
            ([.accepted, .accepted], [.v5, .v5, .v5]),
            ([.failed(.unsupported), .accepted, .accepted], [.v5, .v311, .v311, .v311]),
            // One lost answer proves nothing; two of them between good probes do. Each later session asks again.
            (
                [.failed(.unanswered), .accepted, .failed(.unanswered), .accepted, .accepted],
                [.v5, .v311, .v5, .v311, .v5, .v5]
            ),
            (
                [
                    .failed(.unanswered), .accepted, .failed(.unanswered), .accepted, .failed(.unanswered), .accepted,
                    .failed(.unanswered), .accepted, .accepted,
                ], [.v5, .v311, .v5, .v311, .v5, .v311, .v5, .v311, .v5, .v5]
            ),
            ([.failed(.unanswered), .accepted, .failed(.unsupported), .accepted], [.v5, .v311, .v5, .v311, .v311]),
            // A restarting broker.
            ([.failed(.unanswered), .failed(.other), .failed(.other)], [.v5, .v311, .v5, .v5]),
            ([.failed(.unanswered), .accepted, .accepted], [.v5, .v311, .v5, .v5]),
            // Another broker after an outage.
            ([.failed(.unsupported), .accepted, .failed(.other), .accepted], [.v5, .v311, .v311, .v5, .v5]),
        ] as [([Step], [MQTTVersion])])
    private func theVersionFollowsTheAttempts(_ steps: [Step], _ versions: [MQTTVersion]) {
        var choice = ProtocolChoice(nil)
        var spoken = [choice.version]
        for step in steps {
            switch step {
            case .failed(let failure): _ = choice.attemptFailed(failure)
            case .accepted: choice.accepted()
            }
            spoken.append(choice.version)
        }
        #expect(spoken == versions)
    }

    @Test func aConfiguredVersionIsKept() {
        var choice = ProtocolChoice(.v5)
        #expect(choice.attemptFailed(.unsupported) == false && choice.version == .v5)
        #expect(ProtocolChoice(.v311).version == .v311)
    }
}
