/**
 * What a model reads as structure instead of text: special tokens (`<|im_start|>`, also with the wide bars of some models), turns, thinking, and
 * the fields of the template.
 */
const TOKENS =
  /<[|｜][^<>|｜]{0,64}[|｜]>|<\/?(?:think|s|bos|eos|pad|unk|start_of_turn|end_of_turn|tool_call|tool_response|instruct|query|document)>|\[\/?INST\]|<<\/?SYS>>/gi

/** Nobody nests them so deep by accident: what is left then loses all that they are made of, so that thousands of them cost no more. */
const DEEPEST = 8

/** Drawn with no width at all. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu

/**
 * A text without control tokens: a raw prompt would let a passage end its own turn and speak for the model. Also without those that
 * invisible characters split, and those that appear only once another is taken out of their middle.
 */
export function withoutControlTokens(text: string): string {
  // Joiners are part of Persian and Indic words and stay where nothing hides behind them.
  const bare = text.replace(INVISIBLE, '')
  let clean = bare.search(TOKENS) === -1 ? text : bare
  for (let pass = 0; clean.search(TOKENS) !== -1; pass++) {
    clean = clean.replace(pass < DEEPEST ? TOKENS : /[<>[\]|｜]/g, ' ')
  }
  return clean
}
