/**
 * For each single-byte encoding, the letters of its languages in addition to A to Z, one string for each language. The most common
 * encoding comes first and wins where two give the same text.
 */
const LANGUAGES: readonly [encoding: string, letters: readonly string[]][] = [
  [
    'windows-1252',
    ['äöüß', 'àâæçéèêëîïôœùûüÿ', 'áéíñóúü¿¡ºª', 'áàâãçéêíóôõúü', 'àèéìíòóù', 'æøåéü', 'åäöé', 'áðéíóúýþæö', 'àáèéëïöüñ'],
  ],
  ['windows-1250', ['ąćęłńóśźż', 'áčďéěíňóřšťúůýž', 'áäčďéíĺľňóôŕšťúýž', 'áéíóöőúüű', 'čćđšž', 'ăâîşţ', 'äöüß']],
  ['iso-8859-2', ['ąćęłńóśźż', 'áčďéěíňóřšťúůýž', 'áäčďéíĺľňóôŕšťúýž', 'áéíóöőúüű', 'čćđšž', 'ăâîşţ']],
  ['windows-1254', ['çğıöşüâîû']],
  ['windows-1257', ['ąčęėįšųūž', 'āčēģīķļņšūž', 'äõöüšž']],
  ['iso-8859-4', ['ąčęėįšųūž', 'āčēģīķļņšūž', 'äõöüšž']],
  ['iso-8859-16', ['ăâîșț']],
  ['iso-8859-3', ['ĉĝĥĵŝŭ', 'ċġħżàèìòù']],
  // In Vietnamese each tone is a combining mark after its letter.
  ['windows-1258', ['ăâđêôơưáàéèíóòúùý\u0300\u0301\u0303\u0309\u0323']],
  ['macintosh', ['äöüß', 'àâæçéèêëîïôœùûüÿ', 'áéíñóúü¿¡ºª', 'áàâãçéêíóôõúü', 'àèéìíòóù', 'æøåéü', 'åäöé']],
]
/** A text is in a language if at least this share of its letters outside ASCII belongs to the language. */
const MIN_SHARE = 0.9
/** Characters that occur in every language. C1 controls are not among them: they occur in no text, so they count against an encoding. */
const NO_LETTER = /[\0-\x7f\u00a0«»§°©®\u2010-\u203a\u20ac]/g

/**
 * Finds the encoding of a European language in Latin letters by the letters that the text would have in each encoding. Null if the
 * text has too few such letters, or fits no language.
 */
export function latinEncoding(bytes: Uint8Array): string | null {
  let best: { encoding: string; share: number } | null = null
  for (const [encoding, languages] of LANGUAGES) {
    const letters = new TextDecoder(encoding).decode(bytes).replace(NO_LETTER, '').toLowerCase()
    if (letters.length < 3) return null
    for (const language of languages) {
      let own = 0
      for (const letter of letters) if (language.includes(letter)) own++
      const share = own / letters.length
      if (share >= MIN_SHARE && share > (best?.share ?? 0)) best = { encoding, share }
    }
  }
  return best?.encoding ?? null
}
