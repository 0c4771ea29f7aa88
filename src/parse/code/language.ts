import type { LanguageName } from '../../core/formats.ts'

/** How lines of a language begin a definition, such as a function, a class, or a key of a configuration file. */
export interface Definition {
  /** Matched at the first character of a line that is not blank. The group `name` and, if there is one, `kind` become the heading. */
  pattern: RegExp
  /** Its members are definitions too. What is inside other definitions is their text. */
  isContainer?: boolean
  /** Only as a member of a container, for patterns that also match statements. */
  isMember?: boolean
  /** Only where no other definition is open. */
  isOutermost?: boolean
  /** The line, or one of the next lines, must open a body before a semicolon ends the statement. */
  needsBody?: boolean
}

export interface Language {
  /** Its extensions are in core/formats.ts. */
  name: LanguageName
  /** Names of files without an extension, in lower case. */
  fileNames?: readonly string[]
  /** The program behind `#!`. */
  interpreter?: RegExp
  lineComments?: readonly string[]
  /** Comments and strings that can have several lines, by their first and last characters. */
  spans?: readonly (readonly [open: string, close: string])[]
  /** Characters around strings that end on their line. */
  quotes?: string
  definitions?: readonly Definition[]
  /** A line that begins like this belongs to the definition below it, as comments do. */
  decorator?: RegExp
  /** A line that begins like this belongs to the open definition, although it is indented no more than the definition. */
  continuation?: RegExp
  /** A definition ends only at the next definition, because indentation means nothing in this language. */
  isFlat?: boolean
}

/** The rules by which the lines of a text are read. */
export type Syntax = Omit<Language, 'name'>

/** Comments, strings and lines of the languages that look like C. */
export const C_LIKE = {
  lineComments: ['//'],
  spans: [['/*', '*/']],
  quotes: '"',
  decorator: /^(?:@|\[\[?[\w:]|#\[|template\s*<)/,
  continuation: /^(?:[{}()\]#]|(?:public|private|protected|signals|public slots)\s*:|\w+:\s*$|else\b|catch\b|finally\b|where\b)/,
} as const satisfies Partial<Language>

/** A function without a keyword: an optional type, a name, and a parameter list. It doesn't match statements that begin with a keyword. */
export const METHOD =
  /^(?!(?:return|if|else|for|foreach|while|switch|catch|do|new|delete|throw|case|using|typedef|assert|await|yield|lock|goto|super|this|function)\b)(?:[\w.<>,?&*:~[\]@$]+[ \t]+)*?[*&]*(?<name>~?[\w$]+(?:::~?[\w$]+)*|operator\s*\S{1,3})[ \t]*(?:<[^<>()]{0,80}>)?\(/
