/**
 * Letters beside A to Z that a language writes, by the encodings of one byte in which it is written. The commonest encoding
 * first: it wins where two read the same.
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
  // Each tone is a mark of its own, after its letter.
  ['windows-1258', ['ăâđêôơưáàéèíóòúùý\u0300\u0301\u0303\u0309\u0323']],
  ['macintosh', ['äöüß', 'àâæçéèêëîïôœùûüÿ', 'áéíñóúü¿¡ºª', 'áàâãçéêíóôõúü', 'àèéìíòóù', 'æøåéü', 'åäöé']],
]
/** A text is in a language whose letters nearly all of its foreign ones are. */
const LEAST_SHARE = 0.9
/** Typography stands in texts of every language; the C1 controls of ISO 8859 in none. */
const NO_LETTER = /[\0-\x7f\u00a0«»§°©®\u2010-\u203a\u20ac]/g

/**
 * Which of the encodings of European languages in Latin letters a text is in, by the letters it would have in each. Null where
 * it has too few, or fits none.
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
      if (share >= LEAST_SHARE && share > (best?.share ?? 0)) best = { encoding, share }
    }
  }
  return best?.encoding ?? null
}
