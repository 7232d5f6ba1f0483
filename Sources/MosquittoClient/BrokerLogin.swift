/// As whom a session logs in, for the text about a refusal. It never holds the password.
struct BrokerLogin: Equatable, Sendable {
    enum Password: Equatable, Sendable {
        case none
        case given
        /// The password's file exists, but this user may not read it.
        case unreadable(file: String)
    }

    var username: String?
    var password: Password

    init(username: String?, password: Password) {
        self.username = username
        self.password = password
    }

    /// Ends a sentence about a refused login.
    var text: String {
        let user = username.map { "as user \($0)" } ?? "without a user name, see mqtt.username"
        switch password {
        case .given: return "\(user), with a password"
        case .none where username == nil: return user
        case .none: return "\(user), without a password, see mqtt.password_file"
        case .unreadable(let file): return "\(user), without a password: this user can't read \(file); run it with sudo"
        }
    }
}
