import AsyncHTTPClient
import Gateway
import GatewayReports
import NIOCore
import NIOHTTP1
import SondeHubProtocol

extension HTTPFetcher {
    /// The most characters of an answer that a fault tells: "group chat was upgraded to a supergroup chat".
    private static let longestReason = 200

    /// Sends an alert. Of the answer the status matters, and of a refusal the server's reason. A redirect is not followed: it could lead the secrets in
    /// the headers elsewhere.
    /// - Parameter base: the address without its query.
    func send(_ alert: AlertRequest, to base: BaseURL) async throws(OnlineServiceError) {
        do {
            var request = HTTPClientRequest(url: alert.url)
            request.method = HTTPMethod(rawValue: alert.method)
            request.headers.add(name: "User-Agent", value: userAgent)
            for header in alert.headers { request.headers.replaceOrAdd(name: header.name, value: header.value) }
            if !alert.body.isEmpty { request.body = .bytes(ByteBuffer(bytes: alert.body)) }
            let response = try await owned.client.execute(request, deadline: .distantFuture)
            let code = Int(response.status.code)
            switch code {
            case 200..<300: return
            case 300..<400:
                let target = PrintableText.of((response.headers.first(name: "Location") ?? "").utf8)
                throw OnlineServiceError(.redirect, "HTTP status \(code): set url to where it leads, \(target)")
            case 408, 425, 500...: throw OnlineServiceError(.status, await words(for: response, code))
            case 429:
                throw OnlineServiceError(
                    .rateLimited, "too many requests", retryAfter: ResponseFacts(response.headers).retryAfter)
            default: throw OnlineServiceError(.refused, await words(for: response, code))
            }
        } catch {
            throw OnlineServiceError(connection: error)
        }
    }

    /// The status with the beginning of the answer.
    private func words(for response: HTTPClientResponse, _ code: Int) async -> String {
        let reason = PrintableText.of(await errorText(of: response), longest: Self.longestReason)
        return reason.isEmpty ? "HTTP status \(code)" : "HTTP status \(code): \(reason)"
    }
}
