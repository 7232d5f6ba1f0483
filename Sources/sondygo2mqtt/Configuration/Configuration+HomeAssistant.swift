import Dashboard
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
        let options = dashboardOptions
        return dashboard.isEnabled && !options.isForThisMachine ? options.urlForOthers : nil
    }
}
