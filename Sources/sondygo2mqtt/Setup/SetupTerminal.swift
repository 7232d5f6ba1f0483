import Glibc

/// Where `setup` asks its questions.
struct SetupTerminal {
    /// Reads a line that the user typed. Nil means that the input has ended: each further question keeps its value.
    func readAnswer() -> String? { readLine() }

    /// Reads a line that the terminal does not show.
    func readSecret() -> String? {
        var shown = termios()
        guard tcgetattr(STDIN_FILENO, &shown) == 0 else { return readLine() }
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown)
            writeLine("")
        }
        return readLine()
    }
}
