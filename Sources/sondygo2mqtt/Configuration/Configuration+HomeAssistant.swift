import FoundationEssentials
import Gateway
import MQTTPublishing

extension Configuration {
    var homeAssistantOptions: HomeAssistantOptions {
        HomeAssistantOptions(
            isEnabled: homeAssistant.isEnabled, prefix: homeAssistant.discoveryPrefix, version: Version.current,
            hasPrediction: prediction.isEnabled, hasCar: true,
            reportsRecovery: sondeHubOptions.isEnabled && sondeHubOptions.callSign != nil, pageURL: pageURL)
    }

    /// The page's URL for another machine, with the first of `dashboard.hosts`, else the address, else the machine's
    /// name in the local network. Nil if the page only listens on this machine.
    var pageURL: String? {
        let isEverywhere = ["::", "0.0.0.0"].contains(dashboard.address)
        guard dashboard.isEnabled, !dashboard.address.hasPrefix("127."), dashboard.address != "::1" else { return nil }
        let name = ProcessInfo.processInfo.hostName.prefix { $0 != "." } + ".local"
        let host = dashboard.hosts.first ?? (isEverywhere ? String(name) : dashboard.address)
        return "http://\(host.contains(":") ? "[\(host)]" : host):\(dashboard.port)/"
    }
}
