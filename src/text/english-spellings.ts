/** Words with the ending -our in British and -or in American English. A rule would take `four` for `for`. */
const OUR = new Set(
  'arbour ardour armour behaviour candour clamour clangour colour demeanour dolour enamour endeavour favour favourite fervour flavour glamour harbour honour humour labour misbehaviour misdemeanour neighbour neighbourhood odour parlour rancour rigour rumour saviour savour splendour succour tumour valour vapour vigour'.split(
    ' ',
  ),
)
const OR = new Map([...OUR].map((word) => [word.replace('our', 'or'), word]))
/** Endings that may follow -our or -or. */
const ENDING = /^(.+?)(s|ed|ing|ings|able|ably|ful|less|er|ers|al|ally|hood|hoods|ite|ites|ist|ists)?$/

/** British and American forms of the rest. The first pattern that fits decides. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/^([a-z]{3,})is(e|es|ed|ing|er|ers|able|ation|ations)$/, '$1iz$2'],
  [/^([a-z]{3,})iz(e|es|ed|ing|er|ers|able|ation|ations)$/, '$1is$2'],
  [/^(anal|paral|catal|electrol|hydrol|dial)ys(e|ed|ing|er|ers)$/, '$1yz$2'],
  [/^(anal|paral|catal|electrol|hydrol|dial)yz(e|ed|ing|er|ers)$/, '$1ys$2'],
  [/^(cent|theat|fib|lit|calib|lust|meag|somb|spect|kilomet|centimet|millimet)re(s|d)?$/, '$1er$2'],
  [/^(cent|theat|fib|lit|calib|lust|meag|somb|spect|kilomet|centimet|millimet)er(s|d)?$/, '$1re$2'],
  [/^(catal|dial|anal|monol|prol|epil)ogue(s)?$/, '$1og$2'],
  [/^(catal|dial|anal|monol|prol|epil)og(s)?$/, '$1ogue$2'],
  [/^(def|off|lic|pret)ence(s|d)?$/, '$1ense$2'],
  [/^(def|off|lic|pret)ense(s|d)?$/, '$1ence$2'],
  [/^(travel|cancel|label|model|fuel|signal|channel|level|counsel|total|dial|tunnel|marshal|initial)l(ed|ing|er|ers)$/, '$1$2'],
  [/^(travel|cancel|label|model|fuel|signal|channel|level|counsel|total|dial|tunnel|marshal|initial)(ed|ing|er|ers)$/, '$1l$2'],
  [/^(enrol|fulfil|instal|instil|skilful)(ment|ments|s)?$/, '$1l$2'],
  [/^(enrol|fulfil|instal|instil)l(ment|ments|s)?$/, '$1$2'],
  [/^(judg|acknowledg)ement(s)?$/, '$1ment$2'],
  [/^(judg|acknowledg)ment(s)?$/, '$1ement$2'],
]

const PAIRS = [
  ['grey', 'gray'],
  ['programme', 'program'],
  ['programmes', 'programs'],
  ['aluminium', 'aluminum'],
  ['tyre', 'tire'],
  ['tyres', 'tires'],
  ['paediatric', 'pediatric'],
  ['anaesthesia', 'anesthesia'],
  ['haemoglobin', 'hemoglobin'],
  ['oestrogen', 'estrogen'],
  ['foetus', 'fetus'],
  ['diarrhoea', 'diarrhea'],
  ['anaemia', 'anemia'],
  ['leukaemia', 'leukemia'],
  ['plough', 'plow'],
  ['sceptical', 'skeptical'],
  ['manoeuvre', 'maneuver'],
  ['mould', 'mold'],
  ['sulphur', 'sulfur'],
  ['ageing', 'aging'],
  ['likeable', 'likable'],
  ['enquiry', 'inquiry'],
  ['enquiries', 'inquiries'],
] as const
const OTHERS: ReadonlyMap<string, string> = new Map(PAIRS.flatMap(([a, b]) => [[a, b] as const, [b, a] as const]))

/** Returns the British form of an American word in lower case and the other way round, or null. The form need not exist. */
export function otherSpelling(word: string): string | null {
  const other = OTHERS.get(word)
  if (other !== undefined) return other
  const [, root = '', ending = ''] = ENDING.exec(word) ?? []
  for (const [base, rest] of [
    [word, ''],
    [root, ending],
  ] as const) {
    if (OUR.has(base)) return base.replace('our', 'or') + rest
    const british = OR.get(base)
    if (british !== undefined) return british + rest
  }
  const pattern = PATTERNS.find(([from]) => from.test(word))
  return pattern === undefined ? null : word.replace(...pattern)
}
