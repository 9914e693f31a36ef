// The whole public API.
#pragma once

#include "cellblock/code.hpp"
#include "cellblock/error.hpp"
#include "cellblock/executor.hpp"
#include "cellblock/expected.hpp"
#include "cellblock/policy.hpp"
#include "cellblock/result.hpp"
#include "cellblock/session.hpp"
#include "cellblock/version.hpp"
