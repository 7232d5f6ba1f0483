import GatewayReports
import ReceiverProtocol

// Discovery, from the MTU to the subscription: finds the service, its characteristics and the client configuration
// descriptor that switches notifications on.

extension GATTClient {
    mutating func mayGoOn(_ actions: inout [Action]) -> Bool {
        steps += 1
        if steps > Self.discoveryLimit {
            fail(.invalidData, because: "the receiver's list of services has no end", &actions)
        }
        return state != .failed
    }

    mutating func findService(_ index: Int, at now: MonotonicTime, _ actions: inout [Action]) {
        guard profiles.indices.contains(index) else {
            let names = profiles.map(\.name).joined(separator: " or ")
            return fail(.notFound, because: "the device offers no receiver's service (\(names))", &actions)
        }
        state = .findingService(index)
        ask(
            .findByTypeValueRequest,
            with: [1, 0, 0xFF, 0xFF] + [UInt8](littleEndian: GATTType.primaryService) + profiles[index].service.bytes,
            at: now,
            &actions)
    }

    mutating func serviceAnswered(
        _ answer: Result<ATTPDU, ATTErrorCode>, ofProfile index: Int, at now: MonotonicTime, _ actions: inout [Action]
    ) {
        guard case .success(.services(let ranges)) = answer, let range = ranges.first else {
            return findService(index + 1, at: now, &actions)
        }
        listCharacteristics(Search(profile: profiles[index], service: range), from: range.first, at: now, &actions)
    }

    mutating func listCharacteristics(
        _ search: Search, from first: UInt16, at now: MonotonicTime, _ actions: inout [Action]
    ) {
        guard mayGoOn(&actions) else { return }
        state = .findingCharacteristics(search)
        let type = [UInt8](littleEndian: GATTType.characteristic)
        ask(
            .readByTypeRequest, with: [UInt8](littleEndian: first) + [UInt8](littleEndian: search.service.last) + type,
            at: now,
            &actions)
    }

    mutating func characteristicsAnswered(
        _ answer: Result<ATTPDU, ATTErrorCode>, in before: Search, at now: MonotonicTime, _ actions: inout [Action]
    ) {
        var search = before
        if case .success(.characteristics(let list)) = answer, let last = list.last {
            search.characteristics += list
            // The next declaration follows this characteristic's value.
            let reached = max(last.declaration, last.value)
            if reached < search.service.last {
                return listCharacteristics(search, from: reached + 1, at: now, &actions)
            }
        }
        let known = search.characteristics.sorted { $0.declaration < $1.declaration }
        guard let notify = known.first(where: { $0.uuid == search.profile.notify }),
            !notify.properties.isDisjoint(with: [.notify, .indicate])
        else {
            return fail(
                .notFound, because: "the \(search.profile.name) service has no characteristic for frames", &actions)
        }
        search.notify = notify
        notifyHandle = notify.value
        usesIndications = !notify.properties.contains(.notify)
        write = known.first { $0.uuid == search.profile.write }
        let end = known.first { $0.declaration > notify.declaration }.map { $0.declaration - 1 } ?? search.service.last
        listDescriptors(search, from: notify.value, to: end, at: now, &actions)
    }

    /// - Parameter handle: the last handle already examined; the search begins behind it.
    mutating func listDescriptors(
        _ search: Search, from handle: UInt16, to last: UInt16, at now: MonotonicTime, _ actions: inout [Action]
    ) {
        // Some servers send without a client configuration descriptor. If this one does not, the watch on frames
        // notices.
        guard handle < last else { return becomeReady(search, at: now, &actions) }
        guard mayGoOn(&actions) else { return }
        state = .findingDescriptors(search, from: handle + 1, to: last)
        ask(
            .findInformationRequest, with: [UInt8](littleEndian: handle + 1) + [UInt8](littleEndian: last), at: now,
            &actions)
    }

    mutating func descriptorsAnswered(
        _ answer: Result<ATTPDU, ATTErrorCode>, in search: Search, from: UInt16, to: UInt16, at now: MonotonicTime,
        _ actions: inout [Action]
    ) {
        guard case .success(.descriptors(let list)) = answer, let last = list.last, last.handle >= from else {
            return becomeReady(search, at: now, &actions)
        }
        guard let found = list.first(where: { $0.uuid == GATTType.clientConfiguration }) else {
            return listDescriptors(search, from: last.handle, to: to, at: now, &actions)
        }
        state = .subscribing(search)
        let value: UInt16 = usesIndications ? 2 : 1
        ask(.writeRequest, with: [UInt8](littleEndian: found.handle) + [UInt8](littleEndian: value), at: now, &actions)
    }

    mutating func becomeReady(_ search: Search, at now: MonotonicTime, _ actions: inout [Action]) {
        state = .ready
        actions.append(
            .ready(Session(profile: search.profile.name, mtu: Int(mtu), usesIndications: usesIndications)))
        writeNext(at: now, &actions)
    }
}
