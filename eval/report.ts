export const reportPage = () => "";
