import type { Language } from './language.ts'

const HASH = ['#']
const QUOTES = '"\''
const MARKUP: Partial<Language> = { spans: [['<!--', '-->']] }

export const OTHER_LANGUAGES: readonly Language[] = [
  {
    name: 'Python',
    fileNames: ['sconstruct', 'build.bazel', 'snakefile'],
    interpreter: /\bpython/,
    lineComments: HASH,
    spans: [
      ['"""', '"""'],
      ["'''", "'''"],
    ],
    quotes: QUOTES,
    decorator: /^@/,
    continuation: /^[)\]}]/,
    definitions: [
      { pattern: /^(?<kind>class)\s+(?<name>\w+)/, isContainer: true },
      { pattern: /^(?:async\s+)?(?:c?p?)(?<kind>def)\s+(?<name>\w+)/ },
    ],
  },
  {
    name: 'Ruby',
    fileNames: ['rakefile', 'gemfile', 'vagrantfile', 'podfile', 'guardfile', 'brewfile'],
    interpreter: /\bruby/,
    lineComments: HASH,
    spans: [['=begin', '=end']],
    quotes: QUOTES,
    continuation: /^(?:[)\]}]|(?:end|rescue|ensure|else|elsif|when|in|private|protected|public|module_function)\b)/,
    definitions: [
      { pattern: /^(?<kind>class|module)\s+(?<name>[\w:]+)/, isContainer: true },
      { pattern: /^(?:private\s+|public\s+|protected\s+)?(?<kind>def)\s+(?<name>(?:\w+\.)?\w+[?!=]?|[^\s(]{1,3})/ },
      { pattern: /^(?:RSpec\.)?(?<kind>describe|context)\s+(?<name>[^\n]{1,120}?)\s+do\b/, isContainer: true },
      { pattern: /^(?<kind>it|specify|test)\s+(?<quote>["'])(?<name>.{1,120}?)\k<quote>/ },
    ],
  },
  {
    name: 'Shell',
    interpreter: /\b(?:ba|z|k|da|a)?sh\b/,
    lineComments: HASH,
    quotes: '"',
    continuation: /^[{})]/,
    definitions: [
      { pattern: /^(?:function\s+)?(?<name>[\w:.-]+)\s*\(\s*\)/ },
      { pattern: /^(?<kind>function)\s+(?<name>[\w:.-]+)/ },
    ],
  },
  {
    name: 'Fish',
    interpreter: /\bfish\b/,
    lineComments: HASH,
    continuation: /^end\b/,
    definitions: [{ pattern: /^(?<kind>function)\s+(?<name>[\w:.-]+)/ }],
  },
  {
    name: 'PowerShell',
    interpreter: /\bpwsh\b/,
    lineComments: HASH,
    spans: [['<#', '#>']],
    continuation: /^[{})]/,
    definitions: [{ pattern: /^(?<kind>function|filter|class)\s+(?<name>[\w:-]+)/i }],
  },
  {
    name: 'Batch',
    lineComments: ['rem ', 'REM ', '::'],
    isFlat: true,
    definitions: [{ pattern: /^:(?<name>\w+)/ }],
  },
  {
    name: 'SQL',
    lineComments: ['--'],
    spans: [['/*', '*/']],
    quotes: "'",
    isFlat: true,
    definitions: [
      {
        pattern:
          /^create\s+(?:or\s+replace\s+)?(?:(?:global|local|temp|temporary|unique|materialized|unlogged|virtual|external|definer\s*=\s*\S+)\s+)*(?<kind>table|view|function|procedure|trigger|index|type|schema|sequence|domain|package(?:\s+body)?|event)\s+(?:concurrently\s+)?(?:if\s+not\s+exists\s+)?(?<name>[\w."`[\]]+)/i,
      },
      { pattern: /^alter\s+(?<kind>table)\s+(?:if\s+exists\s+)?(?:only\s+)?(?<name>[\w."`[\]]+)/i },
    ],
  },
  {
    name: 'Perl',
    interpreter: /\bperl/,
    lineComments: HASH,
    continuation: /^[{})\]]/,
    definitions: [
      { pattern: /^(?<kind>sub|method)\s+(?<name>[\w:']+)/ },
      { pattern: /^(?<kind>package|class|role)\s+(?<name>[\w:]+)\s*\{/, isContainer: true },
    ],
  },
  {
    name: 'Lua',
    interpreter: /\blua/,
    lineComments: ['--'],
    spans: [
      ['--[[', ']]'],
      ['[[', ']]'],
    ],
    quotes: QUOTES,
    continuation: /^(?:end\b|[)}])/,
    definitions: [
      { pattern: /^(?:local\s+)?(?<kind>function)\s+(?<name>[\w.:]+)/ },
      { pattern: /^(?:local\s+)?(?<name>[\w.]+)\s*=\s*(?<kind>function)\b/ },
    ],
  },
  {
    name: 'R',
    interpreter: /\bRscript\b/,
    lineComments: HASH,
    quotes: QUOTES,
    continuation: /^[{})]/,
    definitions: [{ pattern: /^(?<name>[\w.`]+)\s*(?:<-|=)\s*(?<kind>function)\b/ }],
  },
  {
    name: 'Julia',
    interpreter: /\bjulia\b/,
    lineComments: HASH,
    spans: [
      ['"""', '"""'],
      ['#=', '=#'],
    ],
    quotes: '"',
    continuation: /^(?:end\b|[)}])/,
    definitions: [{ pattern: /^(?<kind>function|macro|mutable struct|struct|module)\s+(?<name>[\w.!]+)/ }],
  },
  {
    name: 'Elixir',
    interpreter: /\belixir\b/,
    lineComments: HASH,
    spans: [['"""', '"""']],
    quotes: '"',
    decorator: /^@(?:doc|spec|impl)\b/,
    continuation: /^(?:end|else|rescue|after|catch)\b/,
    definitions: [
      { pattern: /^(?<kind>defmodule|defprotocol|defimpl)\s+(?<name>[\w.]+)/, isContainer: true },
      { pattern: /^(?<kind>defp?|defmacrop?)\s+(?<name>\w+[?!]?)/ },
    ],
  },
  {
    name: 'Erlang',
    lineComments: ['%'],
    quotes: '"',
    isFlat: true,
    definitions: [{ pattern: /^(?<name>[a-z]\w*)\(.*->/, isOutermost: true }],
  },
  {
    name: 'Haskell',
    lineComments: ['--'],
    spans: [['{-', '-}']],
    isFlat: true,
    definitions: [
      { pattern: /^(?<kind>data|newtype|class|instance|type)\s+(?<name>[^\s=][^=\n]{0,79}?)\s*(?:=|where|$)/ },
      { pattern: /^(?<name>[a-z_][\w']*)\s*::/ },
    ],
  },
  {
    name: 'OCaml',
    spans: [['(*', '*)']],
    isFlat: true,
    definitions: [{ pattern: /^(?<kind>let(?:\s+rec)?|val|type|module(?:\s+type)?|exception)\s+(?<name>[\w']+)/ }],
  },
  {
    name: 'Clojure',
    lineComments: [';'],
    quotes: '"',
    definitions: [
      { pattern: /^\((?<kind>defn-?|def|defmacro|defprotocol|defrecord|deftest|ns)\s+(?:\^\S+\s+)?(?<name>[^\s()]{1,80})/ },
    ],
  },
  {
    name: 'Lisp',
    lineComments: [';'],
    definitions: [
      { pattern: /^\((?<kind>cl-defun|defun|defmacro|defvar|defcustom|define|deftype|defclass)\s+\(?(?<name>[^\s()]{1,80})/ },
    ],
  },
  {
    name: 'Fortran',
    lineComments: ['!'],
    isFlat: true,
    definitions: [
      {
        pattern:
          /^(?:(?:pure|elemental|recursive|integer|real|logical|double precision|character)(?:\([^)]{0,40}\))?\s+)*(?<kind>program|subroutine|function|module)\s+(?<name>(?!procedure\b)\w+)/i,
      },
    ],
  },
  {
    name: 'Pascal',
    lineComments: ['//'],
    spans: [
      ['{', '}'],
      ['(*', '*)'],
    ],
    quotes: "'",
    isFlat: true,
    definitions: [{ pattern: /^(?:class\s+)?(?<kind>procedure|function|constructor|destructor)\s+(?<name>[\w.]+)/i }],
  },
  {
    name: 'Visual Basic',
    lineComments: ["'"],
    quotes: '"',
    continuation: /^end\b/i,
    definitions: [
      {
        pattern: /^(?:(?:public|private|friend|partial)\s+)*(?<kind>class|module|structure|interface)\s+(?<name>\w+)/i,
        isContainer: true,
      },
      {
        pattern:
          /^(?:(?:public|private|protected|friend|shared|overrides|overridable|async)\s+)*(?<kind>sub|function|property)\s+(?<name>\w+)/i,
      },
    ],
  },
  {
    name: 'YAML',
    lineComments: HASH,
    continuation: /^(?:-(?:\s|$)|[\]}])/,
    definitions: [{ pattern: /^(?<name>[\w.$"'/][^:#{}[\]]{0,80}):\s*(?:&\S+\s*)?(?:#|$)/, isContainer: true }],
  },
  {
    name: 'TOML',
    lineComments: HASH,
    spans: [['"""', '"""']],
    isFlat: true,
    definitions: [{ pattern: /^\[{1,2}(?<name>[^\]]{1,120})\]/ }],
  },
  {
    name: 'INI',
    fileNames: ['.editorconfig', '.gitconfig', '.npmrc'],
    lineComments: ['#', ';'],
    isFlat: true,
    definitions: [{ pattern: /^\[(?<name>[^\]]{1,120})\]\s*$/ }],
  },
  {
    name: 'Dockerfile',
    fileNames: ['dockerfile', 'containerfile'],
    lineComments: HASH,
    isFlat: true,
    definitions: [{ pattern: /^(?<kind>FROM)\s+(?<name>\S+(?:\s+AS\s+\S+)?)/i }],
  },
  {
    name: 'Makefile',
    fileNames: ['makefile', 'gnumakefile', 'justfile'],
    interpreter: /\bmake\b/,
    lineComments: HASH,
    isFlat: true,
    definitions: [{ pattern: /^(?<name>[\w.%$(){}/-]+(?:[ \t]+[\w.%$(){}/-]+){0,20})\s*::?(?![:=])/, isOutermost: true }],
  },
  {
    name: 'CMake',
    lineComments: HASH,
    quotes: '"',
    isFlat: true,
    definitions: [{ pattern: /^(?<kind>function|macro)\s*\(\s*(?<name>\w+)/i }],
  },
  {
    name: 'Terraform',
    lineComments: ['#', '//'],
    spans: [['/*', '*/']],
    quotes: '"',
    continuation: /^[{})\]]/,
    definitions: [
      {
        pattern:
          /^(?<kind>resource|module|variable|output|data|provider|locals|terraform)\s+(?<name>"[^"]{1,80}"(?:\s+"[^"]{1,80}")?)/,
      },
    ],
  },
  {
    name: 'GraphQL',
    lineComments: HASH,
    spans: [['"""', '"""']],
    continuation: /^[})]/,
    definitions: [
      { pattern: /^(?:extend\s+)?(?<kind>type|interface|enum|input|union|scalar|query|mutation|fragment)\s+(?<name>\w+)/ },
    ],
  },
  {
    name: 'Nix',
    lineComments: HASH,
    spans: [
      ["''", "''"],
      ['/*', '*/'],
    ],
  },
  { name: 'Vue', ...MARKUP },
  {
    name: 'HTML template',
    ...MARKUP,
  },
]
