import { defineNoun } from '../../define.ts'
import remove from './delete.ts'
import get from './get.ts'
import list from './list.ts'
import move from './move.ts'
import rename from './rename.ts'
import reprocess from './reprocess.ts'
import restore from './restore.ts'
import show from './show.ts'
import tag from './tag.ts'
import text from './text.ts'

export default defineNoun({
  name: 'documents',
  aliases: ['docs'],
  summary: 'List, show, download, move, tag, delete, restore and reprocess documents',
  commands: [list, show, get, text, move, rename, tag, remove, restore, reprocess],
  standalone: list,
})
