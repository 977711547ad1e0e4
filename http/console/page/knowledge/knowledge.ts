/**
 * The knowledge of a project while the console shows it: the tree, the open document, imports. Changes of nodes are heard
 * live; the statuses of the index are not, so they are read again while documents wait for it. No DOM.
 */

import { type Signal, signal } from '@preact/signals'
import type { Project } from '../data/project.ts'
import type { KnowledgeNode } from '../records/knowledge.ts'
import type { ProjectEvent } from '../records/live.ts'
import { OpenDocument } from './document/document.ts'
import { Imports } from './imports/imports.ts'
import type { SendFile } from './imports/upload_file.ts'
import { Uploads } from './imports/uploads.ts'
import { Tree } from './tree/tree.ts'

/** Pause between two looks at what is being indexed. */
const LOOK_MS = 1_500

export class Knowledge {
  readonly tree: Tree
  readonly imports: Imports
  readonly uploads: Uploads

  /** The open document or folder. */
  open: Signal<OpenDocument | null> = signal(null)
  /** True while the page of imports is shown. */
  shows_imports = false
  #project
  #timer

  constructor(project: Project, { send, look_ms = LOOK_MS }: { send: SendFile; look_ms?: number }) {
    this.#project = project
    this.tree = new Tree(project.api)
    this.imports = new Imports(project.api)
    this.uploads = new Uploads(project.api, send)
    this.#timer = setInterval(() => this.#look(), look_ms)
    void this.tree.load(null)
  }

  /** Opens a node, or none. */
  show(id: string | null) {
    if (this.open.peek()?.id === id) return
    this.open.value = id === null ? null : new OpenDocument(this.#project.api, id)
    if (id !== null) void this.tree.reveal(id).catch(() => false)
  }

  hear(events: readonly ProjectEvent[]) {
    for (const { type, data } of events) {
      if (type !== 'knowledge.changed') continue
      const node = data as KnowledgeNode & { partial?: true }
      if (node.partial) void this.tree.read()
      else this.tree.hear(node)
      const { value: open } = this.open
      if (open?.id === node._id) open.hear(node)
      // It may be below the folder that was deleted.
      else if (!node.is_active) void open?.read()
      this.uploads.hear(node._id)
    }
    if (this.shows_imports && events.some(({ type }) => type === 'knowledge.changed')) void this.imports.read()
  }

  read() {
    void this.tree.read()
    void this.open.value?.read()
    if (this.shows_imports) void this.imports.read()
  }

  poll(is_live: boolean) {
    if (!is_live) this.read()
  }

  close() {
    clearInterval(this.#timer)
    this.uploads.close()
  }

  #look() {
    if (globalThis.document?.hidden) return
    this.uploads.poll()
    if (this.open.value?.isPending) void this.open.value.read()
    if (this.tree.hasPending) void this.tree.readPending()
    if (this.shows_imports && this.imports.isBusy) void this.imports.read()
  }
}
