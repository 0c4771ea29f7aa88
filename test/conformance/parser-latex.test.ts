import { parserConformance } from './parser.ts'

const SOURCE = String.raw`% A comment.
\documentclass[a4paper]{article}
\usepackage{amsmath}
\newcommand{\loop}{\loop \loop}
\title{The harbour\thanks{Nobody}}
\begin{document}
\maketitle
\section*{The gate} % another comment
The \emph{gatekeeper} keeps the \textbf{lantern}~--- \loop see \cite[p.~3]{mill}. Gr\"u{\ss}e, \'{e}, 5\,\% of \$3.
It is $x^2 + y_1$ high.

\begin{itemize}
  \item opens the gate
  \item[b)] rings
\end{itemize}
\begin{tabular}{l|r}
\hline
Day & Hour \\ \hline
Mon & noon \\
\end{tabular}
\begin{verbatim}
ring % 2 \times
\end{verbatim}
\begin{equation}
  a = \frac{b}{c}
\end{equation}
\input{/etc/passwd}
The end.
\end{document}
Not read.
`

parserConformance('latex', async () => ({
  bytes: Buffer.from(SOURCE),
  fileName: 'harbour.tex',
  mediaType: 'application/x-tex',
  expected: {
    engine: 'latex',
    encoding: 'utf-8',
    title: 'The harbour',
    pageCount: 1,
    texts: [
      'The gate\n\nThe gatekeeper keeps the lantern — see . Grüße, é, 5 % of $3.\nIt is x^2 + y_1 high.',
      '- opens the gate\nb) rings',
      'Day | Hour\nMon | noon',
      'ring % 2 \\times',
      'a = \\frac{b}{c}',
      'The end.',
    ],
    kinds: ['heading', 'paragraph', 'list_item', 'table_row', 'code'],
  },
  broken: {
    'a definition that calls itself': Buffer.from(String.raw`\newcommand{\a}{\a\a}\def\b{\b\b}\a\b text`),
    'a hundred thousand open groups': Buffer.from('{'.repeat(100_000)),
    'a hundred thousand open environments': Buffer.from(String.raw`\begin{itemize}\item a `.repeat(100_000)),
    'a hundred thousand open tables': Buffer.from(String.raw`\begin{tabular}{l} a & b \\ `.repeat(30_000)),
    'code that is never closed': Buffer.from(String.raw`\begin{verbatim} a`.repeat(10_000)),
    'formulas that are never closed': Buffer.from('$ a $$ b \\( c \\[ '.repeat(20_000)),
    'an argument that is never closed': Buffer.from(`\\title{${'a'.repeat(500_000)}`),
    'a backslash at the end': Buffer.from('a\\'),
  },
}))
