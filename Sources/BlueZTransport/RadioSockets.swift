import BluetoothProtocol
import CLinux
import Glibc
import ReceiverProtocol
import TransportIO

/// The sockets of one attempt: the management socket, and up to two ATT channels, of which one becomes the link.
struct RadioSockets: ~Copyable {
    private let management: MgmtSocket
    private let wake: Int32
    /// Two properties, because a dictionary can't own sockets. An attempt tries two addresses at most.
    private var first: ATTChannel?
    private var second: ATTChannel?
    private var identifiers: [LinkMachine.ChannelID?] = [nil, nil]

    /// The most packets read from one socket before the others.
    private static let burst = 16

    init(management: consuming MgmtSocket, wake: Int32) {
        self.management = management
        self.wake = wake
    }

    func manage(_ command: MgmtCommand) -> LinkMachine.Event? {
        management.send(command).map { .managementFailed($0) }
    }

    mutating func open(
        _ id: LinkMachine.ChannelID, from adapter: BluetoothAddress, to device: LEAddress
    ) -> LinkMachine.Event? {
        do throws(ATTChannel.Refusal) {
            let channel = try ATTChannel(from: adapter, to: device)
            if identifiers[0] == nil {
                first = consume channel
                identifiers[0] = id
            } else {
                second = consume channel
                identifiers[1] = id
            }
            return nil
        } catch {
            return .channelFailed(id, error.fault)
        }
    }

    mutating func close(_ id: LinkMachine.ChannelID) {
        if identifiers[0] == id {
            first = nil
            identifiers[0] = nil
        } else if identifiers[1] == id {
            second = nil
            identifiers[1] = nil
        }
    }

    /// Sends on the open channel.
    func send(_ bytes: [UInt8]) -> LinkMachine.Event? {
        if let id = identifiers[0], let fault = first?.send(bytes) ?? nil { return .channelFailed(id, fault) }
        if let id = identifiers[1], let fault = second?.send(bytes) ?? nil { return .channelFailed(id, fault) }
        return nil
    }

    /// Waits for packets, orders or the deadline.
    /// - Parameter takesFrames: false leaves the packets of an open channel in the kernel.
    mutating func wait(until deadline: MonotonicTime?, takesFrames: Bool) -> [LinkMachine.Event] {
        var entries = [
            pollfd(fd: management.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
            Self.entry(first, takesFrames), Self.entry(second, takesFrames),
        ]
        Glibc.poll(&entries, nfds_t(entries.count), Self.milliseconds(until: deadline))
        if entries[1].revents != 0 {
            var value: eventfd_t = 0
            eventfd_read(wake, &value)
        }
        var events: [LinkMachine.Event] = []
        // Frames come before the link's end, which the management socket reports.
        if entries[2].revents != 0, let id = identifiers[0] { events += Self.read(&first, id) }
        if entries[3].revents != 0, let id = identifiers[1] { events += Self.read(&second, id) }
        if entries[0].revents != 0 { events += readManagement() }
        return events
    }

    private static func entry(_ channel: borrowing ATTChannel?, _ takesFrames: Bool) -> pollfd {
        switch channel {
        case .none: return pollfd(fd: -1, events: 0, revents: 0)
        case .some(let channel):
            if channel.isConnecting { return pollfd(fd: channel.descriptor, events: Int16(POLLOUT), revents: 0) }
            return pollfd(fd: takesFrames ? channel.descriptor : -1, events: Int16(POLLIN), revents: 0)
        }
    }

    private static func milliseconds(until deadline: MonotonicTime?) -> Int32 {
        guard let deadline else { return -1 }
        // Rounded up, because waking too early would spin.
        return Int32(clamping: max(0, deadline.duration(since: .now).wholeMilliseconds + 1))
    }

    private static func read(_ channel: inout ATTChannel?, _ id: LinkMachine.ChannelID) -> [LinkMachine.Event] {
        if channel?.isConnecting == true {
            guard let fault = channel?.finishConnecting() ?? nil else { return [.channelOpened(id)] }
            return [.channelFailed(id, fault)]
        }
        var events: [LinkMachine.Event] = []
        while events.count < burst, let reading = channel?.receive() {
            switch reading {
            case .packet(let bytes): events.append(.received(id, bytes))
            case .nothing: return events
            case .ended(let fault): return events + [.channelFailed(id, fault)]
            }
        }
        return events
    }

    private func readManagement() -> [LinkMachine.Event] {
        var events: [LinkMachine.Event] = []
        for _ in 0..<Self.burst {
            switch management.receive() {
            case .event(let event): events.append(.management(event))
            case .nothing: return events
            case .failed(let why): return events + [.managementFailed(why)]
            }
        }
        return events
    }
}
