/**
 * Tokens that a model reads as structure instead of text: special tokens (`<|im_start|>`, also with the wide bars of some models),
 * turns, thinking, and the fields of the template.
 */
const TOKENS =
  /<[|｜][^<>|｜]{0,64}[|｜]>|<\/?(?:think|s|bos|eos|pad|unk|start_of_turn|end_of_turn|tool_call|tool_response|instruct|query|document)>|\[\/?INST\]|<<\/?SYS>>/gi

/** No text nests them this deep by accident. Deeper ones lose all their brackets and bars in one pass, so that thousands cost no more. */
const MAX_DEPTH = 8

/** Characters without any width. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu

/**
 * Returns a text without control tokens, because in a raw prompt a passage could end its own turn and speak for the model. It also
 * removes tokens that invisible characters split, and tokens that appear only after another is removed from their middle.
 */
export function withoutControlTokens(text: string): string {
  // Joiners are invisible too, but Persian and Indic words need them: they stay where they hide no token.
  const bare = text.replace(INVISIBLE, '')
  let clean = bare.search(TOKENS) === -1 ? text : bare
  for (let pass = 0; clean.search(TOKENS) !== -1; pass++) {
    clean = clean.replace(pass < MAX_DEPTH ? TOKENS : /[<>[\]|｜]/g, ' ')
  }
  return clean
}
