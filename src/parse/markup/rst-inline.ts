import { collapse } from '../blocks/page-builder.ts'

/** Returns the text of a paragraph without its marks: emphasis, roles, the targets of links, substitutions, references to notes. */
export function plainRst(source: string): string {
  const text = source
    // Roles and interpreted text: :func:`name`, :ref:`text <target>`, `text <target>`_.
    .replace(
      /(?::[\w:+.-]{1,60}:)?(?<!`)`(?!`)([^`]{1,2000})`(?!`)(?::[\w:+.-]{1,60}:)?_{0,2}/g,
      (_, inner: string) => withoutTarget(inner).replace(/^[~!]/, '') || inner,
    )
    .replace(/``([^`]{1,2000}(?:`[^`]{1,2000})?)``/g, '$1')
    .replace(/\*\*(?=\S)([^*]{1,2000}?)\*\*/g, '$1')
    .replace(/(?<![\w*])\*(?=\S)([^*\n]{1,2000}?)\*(?!\w)/g, '$1')
    .replace(/\|(?=\S)([^|\n]{1,100})(?<=\S)\|_{0,2}/g, '$1')
    .replace(/ ?\[[#*\w-]{1,60}\]_(?!\w)/g, '')
    .replace(/(?<=\w)__?(?![\w_])/g, '')
    .replace(/\\(.)/g, (_, character: string) => (/\s/.test(character) ? '' : character))
  return collapse(text).replace(/\n/g, ' ')
}

/** Returns `text` of `text <target>`. */
function withoutTarget(source: string): string {
  const target = /<[^<>]{1,500}>\s*$/.exec(source)
  return target === null ? source : source.slice(0, target.index).trimEnd()
}
