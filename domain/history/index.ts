export * from './cloud-event.ts';
export * from './order.ts';
