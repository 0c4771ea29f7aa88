import { C_LIKE, type Definition, type Language, METHOD } from './language.ts'

const MODIFIERS =
  '(?:(?:public|private|protected|internal|static|final|abstract|sealed|partial|open|data|inner|inline|value|readonly|ref|unsafe|export|default|declare|strictfp|non-sealed|fileprivate|override|companion|annotation|case|implicit|lazy|suspend|operator|infix|tailrec|external|mutating|nonisolated|required|convenience|class|virtual|async|extern|new|base|mixin|expect|actual|enum|func)\\s+)*?'

function container(kinds: string): Definition {
  return { pattern: new RegExp(`^${MODIFIERS}(?<kind>${kinds})\\s+(?<name>[\\w$.]*\\w)`), isContainer: true }
}

const BODIED_CONTAINER: Definition = {
  pattern:
    /^(?:typedef\s+|static\s+|const\s+|inline\s+)*(?<kind>class|struct|enum(?:\s+class)?|union|namespace)\s+(?:[A-Z_]{3,}\s+)?(?<name>[\w:]+)(?![\w:]|\s*[*&(=])/,
  isContainer: true,
  needsBody: true,
}

/** A function, a constructor, or a macro with a body, such as `TEST(Gate, Opens) {`. */
const FUNCTIONS: readonly Definition[] = [{ pattern: METHOD, needsBody: true }]
/** In these languages, a method of an interface has no body. */
const METHODS: readonly Definition[] = [{ pattern: METHOD, isMember: true }]

const SCRIPT_QUOTES = '"\''

const SCRIPT: Omit<Language, 'name'> = {
  ...C_LIKE,
  quotes: SCRIPT_QUOTES,
  spans: [
    ['/*', '*/'],
    ['`', '`'],
  ],
  definitions: [
    {
      pattern:
        /^(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+|const\s+)?(?<kind>class|interface|namespace|module|enum)\s+(?<name>[\w$.]+)/,
      isContainer: true,
    },
    { pattern: /^(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:async\s+)?(?<kind>function)\s*\*?\s*(?<name>[\w$]+)/ },
    { pattern: /^(?:export\s+)?(?:declare\s+)?(?<kind>type)\s+(?<name>[\w$]+)\s*(?:<[^=]{0,200}>)?\s*=/ },
    {
      pattern:
        /^(?:export\s+)?(?:const|let|var)\s+(?<name>[\w$]+)\s*(?::[^=]{1,200})?=\s*(?:async\s*)?(?:function\b|\(|[\w$]+\s*=>|<\w)/,
      isOutermost: true,
    },
    { pattern: /^(?:module\.)?exports\.(?<name>[\w$]+)\s*=\s*(?:async\s+)?function\b/ },
    { pattern: /^(?<name>[\w$]+(?:\.prototype)?\.[\w$]+)\s*=\s*(?:async\s+)?function\b/ },
    { pattern: /^(?<kind>describe|suite)(?:\.\w+)*\(\s*(?<quote>['"`])(?<name>.{1,120}?)\k<quote>/, isContainer: true },
    { pattern: /^(?<kind>test|it)(?:\.\w+)*\(\s*(?<quote>['"`])(?<name>.{1,120}?)\k<quote>/ },
    {
      pattern:
        /^(?!(?:if|for|while|switch|catch|return|function|super|await|do|else|with)\b)(?:(?:public|private|protected|static|override|readonly|async|get|set|abstract|declare)\s+)*\*?\s*(?<name>#?[\w$]+)\??\s*(?:<[^>(]{0,200}>)?\([^;]*(?:[{,(]|:\s*[^;]{1,200};?)$/,
      isMember: true,
    },
  ],
}

export const C_FAMILY: readonly Language[] = [
  { name: 'C', ...C_LIKE, definitions: [BODIED_CONTAINER, ...FUNCTIONS] },
  {
    name: 'C++',
    ...C_LIKE,
    definitions: [BODIED_CONTAINER, ...FUNCTIONS],
  },
  {
    name: 'C#',
    ...C_LIKE,
    spans: [
      ['/*', '*/'],
      ['"""', '"""'],
    ],
    definitions: [container('class|interface|struct|enum|record(?:\\s+struct)?|namespace'), ...METHODS],
  },
  {
    name: 'Java',
    ...C_LIKE,
    spans: [
      ['/*', '*/'],
      ['"""', '"""'],
    ],
    definitions: [container('class|interface|enum|record|@interface'), ...METHODS],
  },
  { name: 'JavaScript', interpreter: /\b(?:node|deno|bun)\b/, ...SCRIPT },
  { name: 'TypeScript', ...SCRIPT },
  {
    name: 'Go',
    ...C_LIKE,
    spans: [
      ['/*', '*/'],
      ['`', '`'],
    ],
    definitions: [
      { pattern: /^(?<kind>func)\s+(?<name>(?:\([^)]{0,120}\)\s*)?\w+)/ },
      { pattern: /^(?<kind>type)\s+(?<name>\w+)/ },
    ],
  },
  {
    name: 'Rust',
    ...C_LIKE,
    definitions: [
      {
        pattern:
          /^(?:pub(?:\([^)]{1,40}\))?\s+)?(?:(?:default|const|async|unsafe)\s+)*(?:extern\s+"[^"]{0,20}"\s+)?(?<kind>fn)\s+(?<name>\w+)/,
      },
      {
        pattern: /^(?:pub(?:\([^)]{1,40}\))?\s+)?(?:unsafe\s+)?(?<kind>struct|enum|trait|union|mod)\s+(?<name>\w+)(?!\s*;)/,
        isContainer: true,
      },
      {
        pattern: /^(?:unsafe\s+)?(?<kind>impl)\b(?:<[^{]{1,80}?>)?\s+(?<name>[^\s{][^{]{0,119}?)(?:\{|$|where\b)/,
        isContainer: true,
      },
      { pattern: /^(?<kind>macro_rules!)\s*(?<name>\w+)/ },
    ],
  },
  {
    name: 'Kotlin',
    ...C_LIKE,
    spans: [
      ['/*', '*/'],
      ['"""', '"""'],
    ],
    definitions: [
      container('class|interface|object|enum class'),
      {
        pattern: new RegExp(
          `^${MODIFIERS}(?<kind>fun)\\s+(?:<[^>]{1,80}>\\s+)?(?<name>[\\w.<>?]{0,80}?\\w+|\`[^\`]{1,100}\`)\\s*\\(`,
        ),
      },
    ],
  },
  {
    name: 'Swift',
    ...C_LIKE,
    spans: [
      ['/*', '*/'],
      ['"""', '"""'],
    ],
    definitions: [
      { pattern: new RegExp(`^${MODIFIERS}(?<kind>func)\\s+(?<name>\\w+|[^\\s(]{1,4})`) },
      container('class|struct|enum|protocol|extension|actor'),
      { pattern: new RegExp(`^${MODIFIERS}(?<name>init|deinit|subscript)\\b`), isMember: true },
    ],
  },
  {
    name: 'Scala',
    ...C_LIKE,
    spans: [
      ['/*', '*/'],
      ['"""', '"""'],
    ],
    definitions: [
      container('class|trait|object|enum'),
      { pattern: new RegExp(`^${MODIFIERS}(?<kind>def)\\s+(?<name>\\w+|[^\\s(:=]{1,4})`) },
    ],
  },
  {
    name: 'Dart',
    ...C_LIKE,
    quotes: SCRIPT_QUOTES,
    definitions: [container('class|mixin|extension|enum'), ...FUNCTIONS],
  },
  {
    name: 'Groovy',
    fileNames: ['jenkinsfile'],
    ...C_LIKE,
    quotes: SCRIPT_QUOTES,
    definitions: [container('class|interface|trait|enum'), { pattern: /^(?<kind>def)\s+(?<name>\w+)\s*\(/ }, ...METHODS],
  },
  {
    name: 'PHP',
    interpreter: /\bphp/,
    ...C_LIKE,
    lineComments: ['//', '#'],
    quotes: SCRIPT_QUOTES,
    decorator: /^#\[/,
    definitions: [
      { pattern: /^(?:(?:abstract|final|readonly)\s+)*(?<kind>class|interface|trait|enum)\s+(?<name>\w+)/, isContainer: true },
      { pattern: /^(?:(?:abstract|final|public|protected|private|static)\s+)*(?<kind>function)\s+&?\s*(?<name>\w+)/ },
    ],
  },
  {
    name: 'Objective-C',
    ...C_LIKE,
    definitions: [
      { pattern: /^@(?<kind>interface|implementation|protocol)\s+(?<name>\w+)/ },
      { pattern: /^[-+]\s*\([^)]{1,80}\)\s*(?<name>\w+)/ },
      { pattern: METHOD, needsBody: true },
    ],
  },
  {
    name: 'Zig',
    ...C_LIKE,
    definitions: [
      { pattern: /^(?:pub\s+)?(?:export\s+|inline\s+)?(?<kind>fn)\s+(?<name>\w+)/ },
      {
        pattern: /^(?:pub\s+)?const\s+(?<name>\w+)\s*=\s*(?:packed\s+|extern\s+)?(?<kind>struct|enum|union)\b/,
        isContainer: true,
      },
      { pattern: /^(?<kind>test)\s+"(?<name>[^"]{1,120})"/ },
    ],
  },
  {
    name: 'Protocol Buffers',
    ...C_LIKE,
    definitions: [
      { pattern: /^(?<kind>message|service|enum)\s+(?<name>\w+)/, isContainer: true },
      { pattern: /^(?<kind>rpc)\s+(?<name>\w+)/ },
    ],
  },
  { name: 'CSS', ...C_LIKE, lineComments: [], quotes: SCRIPT_QUOTES },
]
