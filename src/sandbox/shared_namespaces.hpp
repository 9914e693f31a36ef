// The namespaces that all sessions of a zygote share with it, and with nobody else.
#pragma once

#include <string>

namespace cellblock::sandbox {

/// What could be had; where something could not: why, as a clause.
struct SharedNamespaces {
  bool network = false;  ///< empty: its loopback is down and stays so
  bool ipc = false;      ///< System V IPC and message queues
  bool uts = false;      ///< host name
  std::string detail;
};

/// Takes this process out of the machine's. Single-threaded processes only.
SharedNamespaces leave_shared_namespaces();

}  // namespace cellblock::sandbox
