/// As whom a session logs in, for the text about a refusal. It never holds the password.
struct BrokerLogin: Equatable, Sendable {
    enum Password: Equatable, Sendable {
        case none
        case given
        /// The same, but something stands around it that people rarely mean. See ``Password/init(_:)``.
        case odd(String)
        /// The password's file exists, but this user may not read it.
        case unreadable(file: String)

        init(_ password: String) {
            let isQuoted = password.count > 1 && password.first == password.last && "\"'".contains(password.prefix(1))
            let isBlank = password.first?.isWhitespace ?? false || password.last?.isWhitespace ?? false
            self = isQuoted ? .odd("in quotes") : isBlank ? .odd("that begins or ends with a blank") : .given
        }
    }

    var username: String?
    var password: Password

    /// Ends a sentence about a refused login.
    var text: String {
        let user = username.map { "as user \($0)" } ?? "without a user name, see mqtt.username"
        switch password {
        case .given: return "\(user), with a password"
        case .odd(let oddity): return "\(user), with a password \(oddity)"
        case .none where username == nil: return user
        case .none: return "\(user), without a password, see mqtt.password_file"
        case .unreadable(let file): return "\(user), without a password: this user can't read \(file); run it with sudo"
        }
    }
}
