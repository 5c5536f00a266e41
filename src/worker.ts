export { default } from './edge/worker.ts'
export { WorldObject as World } from './edge/world.ts'
