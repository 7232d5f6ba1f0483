import ArgumentParser
import Logging
import ServiceLifecycle
import Yams
import UnixSignals
