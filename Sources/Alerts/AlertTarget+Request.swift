public import Gateway

extension AlertTarget {
    /// The request that tells of one event.
    func request(for message: AlertMessage) -> AlertRequest {
        let type = contentType
        let isJSON = type.lowercased().contains("json")
        let own = headers.filter { $0.name.lowercased() != "content-type" }.map {
            AlertRequest.Header(name: $0.name, value: message.filling($0.value, Escape.header, secret: secret))
        }
        let text = body.map { message.filling($0, isJSON ? Escape.json : Escape.nothing) } ?? message.text
        return AlertRequest(
            url: message.filling(url, Escape.url, secret: secret.map(Escape.secret)), method: method,
            headers: own + [AlertRequest.Header(name: "Content-Type", value: type)],
            body: method == "GET" ? [] : Array(text.utf8))
    }

    /// A request as the target would get it, to check the address.
    public var example: AlertRequest {
        var target = self
        target.secret = secret ?? "x"
        return target.request(
            for: AlertMessage(
                id: "1", text: "x", event: "landed", serial: "V1", latitude: 1, longitude: 1, at: 0))
    }
}
