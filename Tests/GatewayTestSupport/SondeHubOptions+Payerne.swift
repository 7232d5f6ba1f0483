package import Gateway

extension SondeHubOptions {
    /// A configuration that names a launch site.
    package static var payerne: SondeHubOptions {
        var options = SondeHubOptions()
        options.site = "06610"
        return options
    }
}
