import { defineNoun } from '../../define.ts'
import remove from './delete.ts'
import get from './get.ts'
import list from './list.ts'
import reprocess from './reprocess.ts'
import show from './show.ts'
import text from './text.ts'

export default defineNoun({
  name: 'documents',
  aliases: ['docs'],
  summary: 'List, show, download, delete and reprocess documents',
  commands: [list, show, get, text, remove, reprocess],
  standalone: list,
})
