import { createUser, deleteUser, getUser, getUsers, updateUser } from './users.ts';

export const userPatterns = [getUsers, getUser, createUser, updateUser, deleteUser];
