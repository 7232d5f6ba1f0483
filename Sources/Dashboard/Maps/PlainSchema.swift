import GRDB
import GRDBSQLite

/// Refuses map files that compute values. A view or a computed column can make values of any size, for ever.
enum PlainSchema {
    /// The longest value in bytes. A longer one makes the statement fail.
    private static let longestValue: Int32 = 2_000_000
    private static let mostObjects = 100
    private static let mostSQL = 4000
    /// Words that may precede a bracket in a view that joins tables. Other words there are function names.
    private static let groupingWords: Set<Substring> = ["on", "using", "where", "and", "or", "not", "from", "join"]
    private static let computingWords: Set<Substring> = [
        "with", "recursive", "union", "intersect", "except", "values", "case",
    ]

    /// Limits a connection that reads a map.
    static func limit(_ database: Database) {
        for (category, limit) in [
            (SQLITE_LIMIT_LENGTH, longestValue), (SQLITE_LIMIT_SQL_LENGTH, 100_000), (SQLITE_LIMIT_COLUMN, 100),
            (SQLITE_LIMIT_EXPR_DEPTH, 50), (SQLITE_LIMIT_COMPOUND_SELECT, 2), (SQLITE_LIMIT_VDBE_OP, 2000),
            (SQLITE_LIMIT_FUNCTION_ARG, 8), (SQLITE_LIMIT_ATTACHED, 0), (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100),
            (SQLITE_LIMIT_TRIGGER_DEPTH, 1), (SQLITE_LIMIT_WORKER_THREADS, 0),
        ] {
            sqlite3_limit(database.sqliteConnection, category, limit)
        }
    }

    /// Accepts files with tables, and with views that join them; many programs write `tiles` as such a view.
    /// - Returns: whether the file has a table `metadata`.
    static func hasMetadata(_ database: Database) throws -> Bool {
        let objects = try Row.fetchAll(
            database,
            sql: """
                SELECT type, name, sql FROM sqlite_master
                WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite%' LIMIT ?
                """, arguments: [mostObjects + 1])
        guard objects.count <= mostObjects else { throw MapFault(text: "has more than \(mostObjects) tables") }
        var hasMetadata = false
        for object in objects {
            let (type, name, sql) = (text(object, 0), text(object, 1).lowercased(), text(object, 2).lowercased())
            guard sql.utf8.count <= mostSQL, type == "view" ? isJoin(sql) : isTable(sql) else {
                throw MapFault(text: "computes (\(type) \(name.prefix(40))); only plain tables and joins are read")
            }
            guard name == "metadata" else { continue }
            guard type == "table" else { throw MapFault(text: "has a view metadata; only a table is read") }
            hasMetadata = true
        }
        return hasMetadata
    }

    /// A table that is not virtual and has no column `AS (…)`.
    private static func isTable(_ sql: String) -> Bool {
        let words = words(sql)
        return !isCommented(sql) && words.dropFirst().first != "virtual" && !words.contains("generated")
            && !wordsBeforeBrackets(sql).contains("as")
    }

    private static func isJoin(_ sql: String) -> Bool {
        let words = words(sql)
        guard !isCommented(sql), words.count(where: { $0 == "select" }) == 1 else { return false }
        guard let start = words.firstIndex(of: "select"), computingWords.isDisjoint(with: words[start...]),
            let select = sql.firstRange(of: "select")
        else { return false }
        return wordsBeforeBrackets(String(sql[select.lowerBound...])).allSatisfy(groupingWords.contains)
    }

    /// Whether the text has a comment, which could separate a function's name from its bracket.
    private static func isCommented(_ sql: String) -> Bool { sql.contains("/*") || sql.contains("--") }

    private static func words(_ sql: String) -> [Substring] {
        sql.split { !($0.isLetter || $0.isNumber || $0 == "_") }
    }

    /// The word, or the end of the quoted name, before each opening bracket. A bracket after an operator has none.
    private static func wordsBeforeBrackets(_ sql: String) -> [Substring] {
        sql.indices.filter { sql[$0] == "(" }.compactMap { bracket in
            var before = sql[..<bracket]
            while before.last?.isWhitespace == true { before.removeLast() }
            guard let last = before.last, !"=<>+-*/,(|&".contains(last) else { return nil }
            let start = before.lastIndex { !($0.isLetter || $0.isNumber || $0 == "_") }
            return start.map { before[before.index(after: $0)...] } ?? before
        }
    }

    private static func text(_ row: Row, _ column: Int) -> String {
        switch (row[column] as DatabaseValue).storage {
        case .string(let text): text
        case .null, .int64, .double, .blob: ""
        }
    }
}
