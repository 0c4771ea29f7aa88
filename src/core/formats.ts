/** The extensions of files in each language of source code and configuration files, in lower case and with the dot. */
export const LANGUAGE_EXTENSIONS = {
  C: ['.c'],
  'C++': ['.h', '.cc', '.cpp', '.cxx', '.hh', '.hpp', '.hxx', '.ino', '.cu'],
  'C#': ['.cs'],
  Java: ['.java'],
  JavaScript: ['.js', '.mjs', '.cjs', '.jsx'],
  TypeScript: ['.ts', '.mts', '.cts', '.tsx'],
  Go: ['.go'],
  Rust: ['.rs'],
  Kotlin: ['.kt', '.kts'],
  Swift: ['.swift'],
  Scala: ['.scala', '.sc'],
  Dart: ['.dart'],
  Groovy: ['.groovy', '.gradle'],
  PHP: ['.php', '.phtml'],
  'Objective-C': ['.m', '.mm'],
  Zig: ['.zig'],
  'Protocol Buffers': ['.proto'],
  CSS: ['.css', '.scss', '.less', '.sass'],
  Python: ['.py', '.pyi', '.pyw', '.pyx', '.bzl', '.star'],
  Ruby: ['.rb', '.rake', '.gemspec', '.podspec'],
  Shell: ['.sh', '.bash', '.zsh', '.ksh', '.bats'],
  Fish: ['.fish'],
  PowerShell: ['.ps1', '.psm1', '.psd1'],
  Batch: ['.bat', '.cmd'],
  SQL: ['.sql', '.ddl', '.psql', '.plsql'],
  Perl: ['.pl', '.pm', '.t'],
  Lua: ['.lua'],
  R: ['.r'],
  Julia: ['.jl'],
  Elixir: ['.ex', '.exs'],
  Erlang: ['.erl', '.hrl'],
  Haskell: ['.hs'],
  OCaml: ['.ml', '.mli'],
  Clojure: ['.clj', '.cljs', '.cljc', '.edn'],
  Lisp: ['.el', '.lisp', '.scm'],
  Fortran: ['.f', '.f90', '.f95', '.f03', '.f08', '.for'],
  Pascal: ['.pas', '.dpr'],
  'Visual Basic': ['.vb', '.bas', '.vbs'],
  YAML: ['.yaml', '.yml'],
  TOML: ['.toml'],
  INI: ['.ini', '.cfg', '.conf', '.properties', '.desktop', '.service'],
  Dockerfile: ['.dockerfile'],
  Makefile: ['.mk', '.mak'],
  CMake: ['.cmake'],
  Terraform: ['.tf', '.tfvars', '.hcl'],
  GraphQL: ['.graphql', '.gql'],
  Nix: ['.nix'],
  Vue: ['.vue', '.svelte'],
  'HTML template': [
    '.hbs',
    '.handlebars',
    '.mustache',
    '.ejs',
    '.erb',
    '.jinja',
    '.jinja2',
    '.j2',
    '.twig',
    '.liquid',
    '.njk',
    '.jsp',
    '.cshtml',
    '.tmpl',
  ],
} as const satisfies Record<string, readonly string[]>

export type LanguageName = keyof typeof LANGUAGE_EXTENSIONS

/** How a browser shows an original: in its PDF viewer, as plain text, or not at all, so that it is downloaded. */
export type OriginalView = 'pdf' | 'text' | 'download'

/** What readers count in a format. Lines and rows: the document has one page, or pages that mean nothing to a reader. */
export type Counted = 'pages' | 'slides' | 'sheets' | 'chapters' | 'messages' | 'rows' | 'lines'

export interface DocumentFormat {
  mediaType: string
  /** In lower case, with the dot. A downloaded original gets the first one. */
  extensions: readonly [string, ...string[]]
  /** The format's name in a list of choices. */
  label: string
  /** The format's name in a sentence. */
  name: string
  /** `download` for every format that could run a script or a macro. */
  originalView: OriginalView
  /** How its readers say where something is. */
  countedIn: Counted
  /** The view shows line numbers, and a result names its lines. */
  isCode?: boolean
  /** It has no text of its own, so only instances with an OCR program read it. */
  isPicture?: boolean
}

const CODE_EXTENSIONS = Object.values(LANGUAGE_EXTENSIONS).flat() as [string, ...string[]]

/** The formats that docsearch reads. A new format needs a row here, a row in parse/readers.ts, and a parser. */
export const FORMATS = {
  pdf: {
    mediaType: 'application/pdf',
    extensions: ['.pdf'],
    label: 'PDF',
    name: 'PDF',
    originalView: 'pdf',
    countedIn: 'pages',
  },
  docx: {
    mediaType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    extensions: ['.docx'],
    label: 'Word',
    name: 'DOCX',
    originalView: 'download',
    countedIn: 'pages',
  },
  pptx: {
    mediaType: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    extensions: ['.pptx', '.pptm', '.ppsx', '.ppsm', '.potx', '.potm'],
    label: 'PowerPoint',
    name: 'PPTX',
    originalView: 'download',
    countedIn: 'slides',
  },
  xlsx: {
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    extensions: ['.xlsx', '.xlsm', '.xltx', '.xltm'],
    label: 'Excel',
    name: 'XLSX',
    originalView: 'download',
    countedIn: 'sheets',
  },
  odt: {
    mediaType: 'application/vnd.oasis.opendocument.text',
    extensions: ['.odt', '.ott', '.fodt'],
    label: 'OpenDocument text',
    name: 'ODT',
    originalView: 'download',
    countedIn: 'pages',
  },
  odp: {
    mediaType: 'application/vnd.oasis.opendocument.presentation',
    extensions: ['.odp', '.otp', '.fodp'],
    label: 'OpenDocument presentation',
    name: 'ODP',
    originalView: 'download',
    countedIn: 'slides',
  },
  ods: {
    mediaType: 'application/vnd.oasis.opendocument.spreadsheet',
    extensions: ['.ods', '.ots', '.fods'],
    label: 'OpenDocument spreadsheet',
    name: 'ODS',
    originalView: 'download',
    countedIn: 'sheets',
  },
  epub: {
    mediaType: 'application/epub+zip',
    extensions: ['.epub'],
    label: 'EPUB',
    name: 'EPUB',
    originalView: 'download',
    countedIn: 'chapters',
  },
  rtf: {
    mediaType: 'application/rtf',
    extensions: ['.rtf'],
    label: 'Rich text',
    name: 'RTF',
    originalView: 'download',
    countedIn: 'lines',
  },
  eml: {
    mediaType: 'message/rfc822',
    extensions: ['.eml'],
    label: 'E-mail',
    name: 'EML',
    originalView: 'download',
    countedIn: 'messages',
  },
  mbox: {
    mediaType: 'application/mbox',
    extensions: ['.mbox', '.mbx'],
    label: 'Mailbox',
    name: 'MBOX',
    originalView: 'download',
    countedIn: 'messages',
  },
  msg: {
    mediaType: 'application/vnd.ms-outlook',
    extensions: ['.msg', '.oft'],
    label: 'Outlook message',
    name: 'MSG',
    originalView: 'download',
    countedIn: 'messages',
  },
  text: {
    mediaType: 'text/plain',
    extensions: ['.txt', '.text', '.log'],
    label: 'Text',
    name: 'plain text',
    originalView: 'text',
    countedIn: 'lines',
  },
  markdown: {
    mediaType: 'text/markdown',
    extensions: ['.md', '.markdown', '.mdown', '.mkd'],
    label: 'Markdown',
    name: 'Markdown',
    originalView: 'text',
    countedIn: 'lines',
  },
  rst: {
    mediaType: 'text/x-rst',
    extensions: ['.rst', '.rest'],
    label: 'reStructuredText',
    name: 'reStructuredText',
    originalView: 'text',
    countedIn: 'lines',
  },
  asciidoc: {
    mediaType: 'text/asciidoc',
    extensions: ['.adoc', '.asciidoc'],
    label: 'AsciiDoc',
    name: 'AsciiDoc',
    originalView: 'text',
    countedIn: 'lines',
  },
  latex: {
    mediaType: 'application/x-tex',
    extensions: ['.tex', '.latex', '.ltx'],
    label: 'LaTeX',
    name: 'LaTeX',
    originalView: 'text',
    countedIn: 'lines',
  },
  csv: {
    mediaType: 'text/csv',
    extensions: ['.csv', '.tsv', '.tab'],
    label: 'CSV',
    name: 'CSV',
    originalView: 'text',
    countedIn: 'rows',
  },
  code: {
    mediaType: 'text/x-source',
    extensions: CODE_EXTENSIONS,
    label: 'Source code',
    name: 'source code',
    originalView: 'text',
    countedIn: 'lines',
    isCode: true,
  },
  json: {
    mediaType: 'application/json',
    extensions: ['.json', '.jsonl', '.ndjson', '.geojson', '.jsonc', '.json5', '.webmanifest'],
    label: 'JSON',
    name: 'JSON',
    originalView: 'text',
    countedIn: 'lines',
    isCode: true,
  },
  png: {
    mediaType: 'image/png',
    extensions: ['.png'],
    label: 'PNG image',
    name: 'PNG',
    originalView: 'download',
    countedIn: 'pages',
    isPicture: true,
  },
  jpeg: {
    mediaType: 'image/jpeg',
    extensions: ['.jpg', '.jpeg'],
    label: 'JPEG image',
    name: 'JPEG',
    originalView: 'download',
    countedIn: 'pages',
    isPicture: true,
  },
  tiff: {
    mediaType: 'image/tiff',
    extensions: ['.tif', '.tiff'],
    label: 'TIFF image',
    name: 'TIFF',
    originalView: 'download',
    countedIn: 'pages',
    isPicture: true,
  },
  html: {
    mediaType: 'text/html',
    extensions: ['.html', '.htm', '.xhtml'],
    label: 'HTML',
    name: 'HTML',
    originalView: 'download',
    countedIn: 'lines',
  },
} as const satisfies Record<string, DocumentFormat>

/** The format's value in the address of a search. */
export type FormatId = keyof typeof FORMATS

export const FORMAT_IDS = Object.keys(FORMATS) as FormatId[]

export function isFormatId(id: string): id is FormatId {
  return Object.hasOwn(FORMATS, id)
}

export function formatIdOf(mediaType: string): FormatId | undefined {
  return FORMAT_IDS.find((id) => FORMATS[id].mediaType === mediaType)
}

/** Returns the media type that a user names: by a format's value, by a file extension without its dot, or in full. Null for any other text. */
export function namedMediaType(text: string): string | null {
  const name = text.toLowerCase()
  const id = FORMAT_IDS.find((id) => id === name || (FORMATS[id].extensions as readonly string[]).includes(`.${name}`))
  if (id !== undefined) return FORMATS[id].mediaType
  return /^[^\s/]+\/[^\s/]+$/.test(name) ? name : null
}

/** Undefined for a document of a format that a later version read. */
export function formatOf(mediaType: string): DocumentFormat | undefined {
  const id = formatIdOf(mediaType)
  return id && FORMATS[id]
}

/** Returns whether the format is a picture, which only instances with an OCR program read. */
export function isPicture(mediaType: string): boolean {
  return formatOf(mediaType)?.isPicture === true
}

/** Returns whether the pages of the original have images. */
export function hasPageImages(mediaType: string): boolean {
  return mediaType === FORMATS.pdf.mediaType || isPicture(mediaType)
}

/** `PDF, DOCX, … and HTML`, the formats that every instance reads. */
export function formatNames(word: 'and' | 'or'): string {
  const list = new Intl.ListFormat('en-GB', { type: word === 'and' ? 'conjunction' : 'disjunction' })
  const formats: DocumentFormat[] = Object.values(FORMATS)
  return list.format(formats.filter((format) => format.isPicture !== true).map(({ name }) => name))
}
