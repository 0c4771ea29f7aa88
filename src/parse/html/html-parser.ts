import { Parser } from 'htmlparser2'

/** Browsers have a limit of about the same depth. */
const MAX_DEPTH = 1_000
/** Elements whose content is not markup. They can't contain each other, so the parser accepts them a little deeper. */
const RAW_TEXT = new Set('script style title textarea xmp iframe noembed noframes'.split(' '))
const RAW_TEXT_ROOM = 10

/**
 * The parser of htmlparser2 with a limit on depth. It closes an element that is nested too deep as soon as it opens it, so the content
 * belongs to the element around it. Without the limit, a million open elements take hours, because htmlparser2 moves the list of all open
 * elements with each tag.
 */
export class HtmlParser extends Parser {
  private depth = 0
  /** How many more levels the limit allowed when the last tag began. */
  private room = MAX_DEPTH

  constructor(...[handler, options]: ConstructorParameters<typeof Parser>) {
    super(
      {
        ...handler,
        onopentag: (tag, attributes, isImplied) => {
          this.depth++
          handler?.onopentag?.(tag, attributes, isImplied)
        },
        onclosetag: (tag, isImplied) => {
          this.depth--
          handler?.onclosetag?.(tag, isImplied)
        },
      },
      options,
    )
  }

  override onopentagname(start: number, end: number): void {
    this.room = MAX_DEPTH - this.depth
    super.onopentagname(start, end)
  }

  override onclosetag(start: number, end: number): void {
    this.room = MAX_DEPTH
    super.onclosetag(start, end)
  }

  protected override isVoidElement(name: string): boolean {
    return super.isVoidElement(name) || this.room <= (RAW_TEXT.has(name) ? -RAW_TEXT_ROOM : 0)
  }
}
