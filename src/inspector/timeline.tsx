export const Timeline = () => null
