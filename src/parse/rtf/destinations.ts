/** What the text of a group is for. */
export type Use =
  /** The document. */
  | 'body'
  /** Notes, comments, headers and footers, which follow the document. */
  | 'aside'
  | 'title'
  | 'fonts'
  | 'styles'
  /** Tags of the HTML that Outlook wraps in RTF. */
  | 'html'
  /** The mark of a list item, such as `1.` */
  | 'mark'
  /** Not text of the document, but groups inside can be. */
  | 'ignore'
  | 'skip'

/** Words that begin a group whose text is not part of the document, or belongs elsewhere in it. */
const USES: Readonly<Record<string, Use>> = {
  fonttbl: 'fonts',
  stylesheet: 'styles',
  title: 'title',
  info: 'ignore',
  upr: 'ignore',
  ud: 'body',
  htmltag: 'html',
  listtext: 'mark',
  pntext: 'mark',
  ...uses('aside', 'footnote annotation header headerl headerr headerf footer footerl footerr footerf'),
  ...uses(
    'skip',
    'colortbl pict objdata objclass objname fldinst datafield sp bkmkstart bkmkend atnid atnauthor atnref atntime atndate atnparent atrfstart atrfend filetbl listtable listoverridetable revtbl rsidtbl themedata colorschememapping latentstyles datastore xmlnstbl fchars lchars nonesttables nesttableprops pnseclvl template generator wgrffmtfilter mmathPr xe tc tcn rxe ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn background docvar mhtmltag formfield ffname ffdeftext ffentrymcr ffexitmcr ffhelptext ffstattext shprslt userprops',
  ),
}
/** Groups that programs may ignore, but that have text of the document. */
const KNOWN_OPTIONAL: ReadonlySet<string> = new Set([
  'shpinst',
  'shptxt',
  'annotation',
  'footnote',
  'shpgrp',
  'ud',
  'htmltag',
  'pntext',
])

function uses(use: Use, words: string): Record<string, Use> {
  return Object.fromEntries(words.split(' ').map((word) => [word, use]))
}

/** Returns the use that a word gives to its group, or null if it begins no destination. `isOptional`: the group begins with `\*`. */
export function useOf(word: string, isOptional: boolean): Use | null {
  const use = Object.hasOwn(USES, word) ? USES[word]! : null
  return use ?? (isOptional && !KNOWN_OPTIONAL.has(word) ? 'skip' : null)
}

/** Words that stand for characters. */
export const CHARACTERS: Readonly<Record<string, string>> = {
  tab: '\t',
  emdash: '—',
  endash: '–',
  bullet: '•',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  emspace: ' ',
  enspace: ' ',
  qmspace: ' ',
  '~': '\u00a0',
  _: '‑',
  zwj: '\u200d',
  zwnj: '\u200c',
}
