/// The files of all languages, as translators wrote them, embedded in the program.
public enum LanguageFile {
    /// The files in UTF-8, by the languages' BCP 47 names, in the order in which people choose from them.
    public static let all: KeyValuePairs<String, [UInt8]> = [
        "en": PackageResources.en_txt,
        "de": PackageResources.de_txt,
        "fr": PackageResources.fr_txt,
        "it": PackageResources.it_txt,
        "es": PackageResources.es_txt,
        "pl": PackageResources.pl_txt,
    ]
}
