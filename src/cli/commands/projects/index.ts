import { defineNoun } from '../../define.ts'
import create from './create.ts'
import remove from './delete.ts'
import list from './list.ts'
import rename from './rename.ts'
import show from './show.ts'

export default defineNoun({
  name: 'projects',
  summary: 'List, show, create, rename and delete projects',
  commands: [list, show, create, rename, remove],
  standalone: list,
})
