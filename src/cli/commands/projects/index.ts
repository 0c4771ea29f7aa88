import { defineNoun } from '../../define.ts'
import create from './create.ts'
import remove from './delete.ts'
import list from './list.ts'
import members from './members/index.ts'
import rename from './rename.ts'
import show from './show.ts'
import takeOver from './take-over.ts'

export default defineNoun({
  name: 'projects',
  summary: 'List, show, create, rename, share and delete projects',
  commands: [list, show, create, rename, remove, members, takeOver],
  standalone: list,
})
