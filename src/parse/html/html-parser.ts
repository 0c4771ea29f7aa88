import { Parser } from 'htmlparser2'

/** Browsers nest elements about as deep. */
const MAX_DEPTH = 1_000
/** Elements whose content is no markup. They can't contain each other, so they may be a little deeper. */
const RAW_TEXT = new Set('script style title textarea xmp iframe noembed noframes'.split(' '))
const RAW_TEXT_ROOM = 10

/**
 * The parser of htmlparser2, but an element that is nested too deep is closed as soon as it is opened, so that its content belongs to the
 * element around it. That parser moves the list of the open elements with each tag: a million of them would take it hours.
 */
export class HtmlParser extends Parser {
  private depth = 0
  /** How many more elements could be nested when the last tag began. */
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
