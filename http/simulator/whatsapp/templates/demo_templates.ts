import type { Template } from './template.ts'

type DemoTemplate = Pick<Template, 'name' | 'language' | 'status' | 'category' | 'parameter_format' | 'components'>

/** The initial templates of every simulated account: one of each kind that a client must handle. */
export const DEMO_TEMPLATES: DemoTemplate[] = [
  {
    name: 'hello_world',
    language: 'en_US',
    status: 'APPROVED',
    category: 'UTILITY',
    parameter_format: 'POSITIONAL',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Hello World' },
      { type: 'BODY', text: 'Welcome and congratulations! This message shows that your number can send templates.' },
      { type: 'FOOTER', text: 'Parley simulator' },
    ],
  },
  ...(['en_US', 'es'] as const).map(
    (language): DemoTemplate => ({
      name: 'order_update',
      language,
      status: 'APPROVED',
      category: 'UTILITY',
      parameter_format: 'POSITIONAL',
      components: [
        {
          type: 'BODY',
          text:
            language === 'es'
              ? 'Hola {{1}}, tu pedido {{2}} está en camino.'
              : 'Hi {{1}}, your order {{2}} is on its way.',
          example: { body_text: [['Ana', 'A-1001']] },
        },
      ],
    }),
  ),
  {
    name: 'appointment_reminder',
    language: 'en_US',
    status: 'APPROVED',
    category: 'UTILITY',
    parameter_format: 'NAMED',
    components: [
      {
        type: 'BODY',
        text: 'Hi {{customer_name}}, we see you on {{appointment_date}} at {{appointment_time}}.',
        example: {
          body_text_named_params: [
            { param_name: 'customer_name', example: 'Ana' },
            { param_name: 'appointment_date', example: '3 May' },
            { param_name: 'appointment_time', example: '10:30' },
          ],
        },
      },
    ],
  },
  {
    name: 'invoice_ready',
    language: 'en_US',
    status: 'APPROVED',
    category: 'UTILITY',
    parameter_format: 'POSITIONAL',
    components: [
      {
        type: 'HEADER',
        format: 'TEXT',
        text: 'Invoice {{1}}',
        example: { header_text: ['F-2001'] },
      },
      {
        type: 'BODY',
        text: 'Hello {{1}}, your invoice over {{2}} is ready.',
        example: { body_text: [['Ana', '$ 30']] },
      },
      { type: 'FOOTER', text: 'Thank you' },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'URL', text: 'Open', url: 'https://example.com/i/{{1}}', example: ['https://example.com/i/7'] },
        ],
      },
    ],
  },
  {
    name: 'promo_picture',
    language: 'en_US',
    status: 'APPROVED',
    category: 'MARKETING',
    parameter_format: 'POSITIONAL',
    components: [
      { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['https://example.com/promo.jpg'] } },
      { type: 'BODY', text: 'Only today, {{1}}: everything at half price.', example: { body_text: [['Ana']] } },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'QUICK_REPLY', text: 'I want it' },
          { type: 'QUICK_REPLY', text: 'Stop' },
        ],
      },
    ],
  },
  {
    name: 'book_visit',
    language: 'en_US',
    status: 'APPROVED',
    category: 'UTILITY',
    parameter_format: 'POSITIONAL',
    components: [
      { type: 'BODY', text: 'Hi {{1}}, choose the time of your visit.', example: { body_text: [['Ana']] } },
      {
        type: 'BUTTONS',
        buttons: [
          {
            type: 'FLOW',
            text: 'Choose',
            flow_id: '900000000000001',
            flow_action: 'navigate',
            navigate_screen: 'VISIT',
          },
        ],
      },
    ],
  },
  {
    name: 'paused_offer',
    language: 'en_US',
    status: 'PAUSED',
    category: 'MARKETING',
    parameter_format: 'POSITIONAL',
    components: [{ type: 'BODY', text: 'An offer nobody liked.' }],
  },
  {
    name: 'disabled_offer',
    language: 'en_US',
    status: 'DISABLED',
    category: 'MARKETING',
    parameter_format: 'POSITIONAL',
    components: [{ type: 'BODY', text: 'An offer nobody liked at all.' }],
  },
  {
    name: 'pending_news',
    language: 'en_US',
    status: 'PENDING',
    category: 'MARKETING',
    parameter_format: 'POSITIONAL',
    components: [{ type: 'BODY', text: 'News under review.' }],
  },
]
