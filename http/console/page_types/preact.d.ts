/** The console's part of preact with htm. The module itself is served as `preact.js`; its package has no types. */

/** A drawn part of a page. Views only pass it on. */
export interface View {
  readonly props: object
}

/** Not checked: htm tells elements, properties and content of a template apart when it runs. */
export function html(template: TemplateStringsArray, ...values: unknown[]): View

export function render(view: View, root: Element): void

export abstract class Component<Props extends object> {
  readonly props: Readonly<Props>
  shouldComponentUpdate?(next: Readonly<Props>): boolean
  abstract render(props: Readonly<Props>): View
}

type Update<State> = (next: State) => void

export function useState<State>(initial: State): [State, Update<State>]

/** `current` is set when effects run, unless the element was not drawn; then `Held` includes undefined. */
export type Ref<Held> = { current: Held }

export function useRef<Held>(initial: Held): Ref<Held>
export function useRef<Held>(): Ref<Held>

/** `act` may return what undoes it. It runs after each drawing, or only after those in which one of `causes` changed. */
export function useEffect(act: () => undefined | void | (() => unknown), causes?: readonly unknown[]): void

export function useErrorBoundary(report: (error: unknown) => void): [error: unknown, reset: () => void]
