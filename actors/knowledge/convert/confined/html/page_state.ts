/** A page under conversion: what is known of it, what was left out of it so far, and where the conversion is. */
import { parse } from 'parse5'
import {
  attribute,
  childrenOf,
  type Element,
  isBlock,
  isElement,
  isNavigation,
  type Node,
  type Parent,
  parentOf,
  plainText,
  verbatim,
  walk,
} from './nodes.ts'

/** Levels of elements after which only the text is taken, as browsers do. */
const MAX_LEVELS = 512
/** Frames within frames that are read. */
const MAX_FRAMES = 3
/** Characters that a part with links may have beside them. */
const FEW = 40

export type PageOptions = {
  /** Address to which links relate. */
  base: string | null
  keeps_navigation: boolean
}

export class PageState {
  readonly base: string | null
  /** Parts with navigation that were left out. */
  navigations = 0
  /** Pages within the page, which have addresses of their own. */
  embedded = 0
  readonly #holders = new Set<Element>()
  #keeps_navigation: boolean
  #level = 0
  #frames = 0

  constructor(page: Parent | Element, { base, keeps_navigation }: PageOptions) {
    this.base = base
    this.#keeps_navigation = keeps_navigation
    this.#learn(page)
  }

  /** Finds the elements that have blocks in them. */
  #learn(page: Parent | Element): void {
    walk(page, (node) => {
      if (!isElement(node) || !isBlock(node)) return true
      for (let up = parentOf(node); up && !this.#holders.has(up); up = parentOf(up)) this.#holders.add(up)
      return true
    })
  }

  /**
   * The page that is written into a frame; frames of another address are counted. A frame that does not end has the rest of
   * the page in it, as text.
   */
  pageIn(frame: Element): Parent | undefined {
    const written = attribute(frame, 'srcdoc')
    const is_seen = !['width', 'height'].some((name) => /^[01]$/.test(attribute(frame, name) ?? ''))
    if (frame.tagName === 'iframe' && written === undefined && is_seen && attribute(frame, 'src')) this.embedded++
    const text = written ?? verbatim(frame)
    if (text.trim() === '' || this.#frames >= MAX_FRAMES) return undefined
    const page = parse(text, { scriptingEnabled: false })
    this.#learn(page)
    return page
  }

  withinFrame(work: () => void): void {
    this.#frames++
    this.within(work)
    this.#frames--
  }

  get isTooDeep(): boolean {
    return this.#level > MAX_LEVELS
  }

  /** True for an element with blocks in it. */
  hasBlocks(element: Element): boolean {
    return this.#holders.has(element)
  }

  within(work: () => void): void {
    this.#level++
    work()
    this.#level--
  }

  /** Keeps all navigation inside a part that is kept. */
  withinKept(work: () => void): void {
    const kept = this.#keeps_navigation
    this.#keeps_navigation = true
    work()
    this.#keeps_navigation = kept
  }

  /** True for navigation, which is counted. */
  leavesOut(element: Element): boolean {
    if (this.#keeps_navigation || !isNavigation(element) || saysMoreThanLinks(element)) return false
    if (plainText(element) !== '') this.navigations++
    return true
  }
}

/** Navigation is made of links. A part that says more than it links is content. */
function saysMoreThanLinks(element: Element): boolean {
  const all = plainText(element).length
  let in_links = 0
  for (const link of linksIn(element)) in_links += plainText(link).length
  return all - in_links > Math.max(in_links, FEW)
}

function linksIn(element: Element): Element[] {
  const links: Element[] = []
  const left: Node[] = [...childrenOf(element)]
  for (let next = left.pop(); next; next = left.pop()) {
    if (!isElement(next)) continue
    if (next.tagName === 'a' || next.tagName === 'button' || next.tagName === 'select') links.push(next)
    else left.push(...childrenOf(next))
  }
  return links
}
