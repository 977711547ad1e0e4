/** An entry of `validation_errors`, as Meta writes it. */
export type FlowValidationError = {
  error: string
  error_type: string
  message: string
  line_start: number
  line_end: number
  column_start: number
  column_end: number
  pointers: { line_start: number; line_end: number; column_start: number; column_end: number; path: string }[]
}

type Node = Record<string, unknown>

const COMPONENTS = new Set([
  'TextHeading',
  'TextSubheading',
  'TextBody',
  'TextCaption',
  'RichText',
  'TextInput',
  'TextArea',
  'CheckboxGroup',
  'RadioButtonsGroup',
  'ChipsSelector',
  'Dropdown',
  'DatePicker',
  'CalendarPicker',
  'Footer',
  'OptIn',
  'EmbeddedLink',
  'NavigationList',
  'Image',
  'ImageCarousel',
  'PhotoPicker',
  'DocumentPicker',
  'Form',
  'If',
  'Switch',
])
const ACTIONS = new Set(['navigate', 'complete', 'data_exchange', 'update_data', 'open_url'])

/**
 * Checks Flow JSON to the depth that authors usually need: shape, screens, component types, actions and their targets.
 * Checks of single properties of components are left out.
 */
export function validateFlowJson(source: string): FlowValidationError[] {
  let flow: Node
  try {
    flow = JSON.parse(source) as Node
  } catch (error) {
    return [problem(source, 'INVALID_FLOW_JSON', 'JSON_PARSE_ERROR', (error as Error).message, '', '')]
  }
  const errors: FlowValidationError[] = []
  const report = (error: string, message: string, path: string, at: string) =>
    errors.push(problem(source, error, 'FLOW_JSON_ERROR', message, path, at))
  if (!isNode(flow)) {
    report('INVALID_PROPERTY_TYPE', 'Expected an object at the root.', '', '')
    return errors
  }
  if (typeof flow.version !== 'string' || !/^\d+\.\d+$/.test(flow.version))
    report('INVALID_PROPERTY_VALUE', 'Property \'version\' must be a version such as "7.0".', 'version', '"version"')
  if (!Array.isArray(flow.screens) || flow.screens.length === 0) {
    report('REQUIRED_PROPERTY_MISSING', "The required property 'screens' is missing or empty.", 'screens', '"screens"')
    return errors
  }
  const ids = new Set<string>()
  flow.screens.forEach((screen: unknown, index: number) => {
    const path = `screens[${index}]`
    if (!isNode(screen) || typeof screen.id !== 'string' || !/^[A-Za-z_]+$/.test(screen.id)) {
      report('INVALID_PROPERTY_VALUE', `Property 'id' must hold letters and underscores only.`, `${path}.id`, '"id"')
      return
    }
    if (ids.has(screen.id))
      report('NOT_UNIQUE', `Screen id "${screen.id}" is used twice.`, `${path}.id`, `"${screen.id}"`)
    ids.add(screen.id)
    if (screen.id === 'SUCCESS')
      report('INVALID_PROPERTY_VALUE', 'Screen id "SUCCESS" is reserved.', `${path}.id`, '"SUCCESS"')
  })
  const screens = flow.screens.filter(isNode)
  if (!screens.some((screen) => screen.terminal === true))
    report('MISSING_TERMINAL_SCREEN', 'At least one screen must be terminal.', 'screens', '"screens"')
  screens.forEach((screen, index) => {
    const path = `screens[${index}].layout`
    const layout = screen.layout
    if (!isNode(layout) || layout.type !== 'SingleColumnLayout' || !Array.isArray(layout.children)) {
      report(
        'INVALID_PROPERTY_VALUE',
        "Property 'layout' must be a SingleColumnLayout with children.",
        path,
        '"layout"',
      )
      return
    }
    checkChildren(layout.children, `${path}.children`, ids, report)
  })
  return errors
}

type Report = (error: string, message: string, path: string, at: string) => void

function checkChildren(children: unknown[], path: string, screens: Set<string>, report: Report): void {
  children.forEach((child, index) => {
    const here = `${path}[${index}]`
    if (!isNode(child) || typeof child.type !== 'string' || !COMPONENTS.has(child.type)) {
      const type = isNode(child) ? String(child.type) : typeof child
      report('INVALID_PROPERTY_VALUE', `Component type "${type}" is not known.`, `${here}.type`, `"${type}"`)
      return
    }
    if (Array.isArray(child.children)) checkChildren(child.children, `${here}.children`, screens, report)
    if (['TextInput', 'TextArea', 'Dropdown', 'DatePicker'].includes(child.type))
      for (const required of ['name', 'label'])
        if (typeof child[required] !== 'string')
          report(
            'REQUIRED_PROPERTY_MISSING',
            `The required property '${required}' of ${child.type} is missing.`,
            here,
            `"${child.type}"`,
          )
    const action = child['on-click-action']
    if (child.type === 'Footer' && !isNode(action))
      report('REQUIRED_PROPERTY_MISSING', "The Footer needs an 'on-click-action'.", here, '"Footer"')
    if (isNode(action)) checkAction(action, `${here}.on-click-action`, screens, report)
  })
}

function checkAction(action: Node, path: string, screens: Set<string>, report: Report): void {
  if (typeof action.name !== 'string' || !ACTIONS.has(action.name)) {
    report(
      'INVALID_PROPERTY_VALUE',
      `Action "${String(action.name)}" is not known.`,
      `${path}.name`,
      `"${String(action.name)}"`,
    )
    return
  }
  if (action.name !== 'navigate') return
  const target = isNode(action.next) ? action.next.name : undefined
  if (typeof target !== 'string' || !screens.has(target))
    report(
      'INVALID_ROUTING',
      `The action leads to the unknown screen "${String(target)}".`,
      `${path}.next`,
      `"${String(target)}"`,
    )
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Places the error at the first occurrence of `at` in the source, or at its start. */
function problem(
  source: string,
  error: string,
  error_type: string,
  message: string,
  path: string,
  at: string,
): FlowValidationError {
  const position = at ? Math.max(0, source.indexOf(at)) : Number(/position (\d+)/.exec(message)?.[1] ?? 0)
  const before = source.slice(0, position).split('\n')
  const column = (before.at(-1) ?? '').length + 1
  const place = {
    line_start: before.length,
    line_end: before.length,
    column_start: column,
    column_end: column + at.length,
  }
  return { error, error_type, message, ...place, pointers: path ? [{ ...place, path }] : [] }
}
